/** Waivers: a file that lists audits whose failure is known, each with a reason and a last day. */

/** One known failure. */
export interface Waiver {
  /** The audit's id. */
  readonly id: string
  readonly reason: string
  /** The last day on which it holds, `YYYY-MM-DD` in UTC. */
  readonly until: string
}

/** The waivers of a file, or what is wrong with the file. */
export type ReadWaivers = { readonly waivers: ReadonlyArray<Waiver> } | { readonly fault: string }

const day = /^\d{4}-\d{2}-\d{2}$/

const isDay = (text: string): boolean => day.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text)

const faultOf = (entry: unknown, ids: ReadonlySet<string>): string | undefined => {
  if (typeof entry !== "object" || entry === null) return "must be an object with id, reason and until"
  const { id, reason, until, ...others } = entry as Readonly<Record<string, unknown>>
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) return `has no member ${JSON.stringify(unknown)}: only id, reason and until`
  if (typeof id !== "string" || !ids.has(id)) return `id must be the id of an audit (--list), not ${JSON.stringify(id)}`
  if (typeof reason !== "string" || reason.trim() === "") return `reason of ${id} must say why it is waived`
  if (typeof until !== "string" || !isDay(until)) return `until of ${id} must be a day like 2027-01-31`
  return undefined
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Reads a file of waivers: a JSON array of `{id, reason, until}`, each id once. */
export const readWaivers = (text: string, ids: ReadonlySet<string>): ReadWaivers => {
  const entries = parsed(text)
  if (!Array.isArray(entries)) return { fault: "waivers must be a JSON array of objects with id, reason and until" }
  for (const [index, entry] of entries.entries()) {
    const fault = faultOf(entry, ids)
    if (fault !== undefined) return { fault: `waiver ${index + 1}: ${fault}` }
  }
  const waivers = entries as ReadonlyArray<Waiver>
  const twice = waivers.find(({ id }, index) => waivers.findIndex((other) => other.id === id) < index)
  return twice === undefined ? { waivers } : { fault: `${twice.id} is waived twice` }
}

/** The waivers that hold on a day (`YYYY-MM-DD`), the last day included. */
export const inForce = (waivers: ReadonlyArray<Waiver>, today: string): ReadonlyArray<Waiver> =>
  waivers.filter(({ until }) => today <= until)
