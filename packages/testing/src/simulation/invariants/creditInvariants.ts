/** What always holds of a project's credits: the books add up, nothing is negative, and every charge has its report. */
import type { JournalEntry } from "@sibyl/core"
import type { ProjectBooks } from "../world/database.ts"
import type { Tenant } from "../world/tenants.ts"
import type { Findings } from "../world/violation.ts"

/** A journal, added up without any knowledge of how it was written. */
interface SummedUp {
  readonly granted: bigint
  readonly used: bigint
  readonly held: bigint
  /** What each charge posted, in order. */
  readonly charges: ReadonlyArray<bigint>
  /** Held or used, by the time at which the hold was taken. */
  readonly byHold: ReadonlyArray<{ readonly atMs: number; readonly credits: bigint }>
}

interface OpenAmount {
  amount: bigint
  used: bigint
  readonly atMs: number
}

const addUp = (journal: ReadonlyArray<JournalEntry>): SummedUp => {
  const holds = new Map<string, OpenAmount>()
  const charges: Array<bigint> = []
  let [granted, used] = [0n, 0n]
  for (const { atMs, credits, holdId, kind } of journal) {
    if (kind === "grant" || kind === "withdraw") {
      granted += kind === "grant" ? credits : -credits
      continue
    }
    const hold = holds.get(holdId ?? "") ?? { amount: 0n, used: 0n, atMs }
    holds.set(holdId ?? "", hold)
    if (kind === "hold" || kind === "extend") hold.amount += credits
    else if (kind === "charge" || kind === "post") {
      charges.push(credits)
      used += credits
      hold.used += credits
      hold.amount = kind === "post" ? 0n : hold.amount - credits
    } else hold.amount -= credits
  }
  const byHold = [...holds.values()].map((hold) => ({ atMs: hold.atMs, credits: hold.amount + hold.used }))
  return { granted, used, held: [...holds.values()].reduce((sum, { amount }) => sum + amount, 0n), charges, byHold }
}

const totalOf = (values: ReadonlyArray<bigint>): bigint => values.reduce((sum, value) => sum + value, 0n)

const checkSums = (
  books: ProjectBooks,
  { charges, granted, held, used }: SummedUp,
  tenant: Tenant,
  mustHold: Findings["mustHold"]
): void => {
  const what = tenant.name
  const remaining = books.granted - books.used - books.held
  mustHold(books.granted === tenant.granted, "granted credits", () => `${what}: ${books.granted} in the books, ${tenant.granted} granted`)
  mustHold(
    remaining >= 0n && books.used >= 0n && books.held >= 0n,
    "never negative",
    () => `${what}: remaining ${remaining}, used ${books.used}, held ${books.held}`
  )
  mustHold(
    granted === books.granted && used === books.used && held === books.held,
    "the journal adds up to the account",
    () => `${what}: journal ${granted}/${used}/${held}, account ${books.granted}/${books.used}/${books.held} (granted/used/held)`
  )
  const open = totalOf(books.openHolds.map(({ amount }) => amount))
  mustHold(open === books.held, "open holds are what is held", () => `${what}: open holds of ${open}, held ${books.held}`)
  const reported = books.reports.map(({ cost }) => cost.total)
  mustHold(
    reported.length === charges.length && reported.every((cost, at) => cost === charges[at]),
    "each charge has one report, each report one charge",
    () => `${what}: ${charges.length} charges (${charges.join(" ")}), ${reported.length} reports (${reported.join(" ")})`
  )
}

/** How long a request that has read its project may wait until it holds credits, by the limit of then. */
const underWayMs = 3_000

/** The most that a period may have: by the limit of now, or one that was in force in it. */
const mostIn = ({ formerLimits, usageLimit }: Tenant, startMs: number, isStepped: boolean): bigint =>
  formerLimits
    .filter(({ untilMs }) => isStepped || startMs < untilMs + underWayMs)
    .reduce((most, { credits }) => (credits > most ? credits : most), usageLimit?.credits ?? 0n)

const checkUsage = ({ byHold }: SummedUp, tenant: Tenant, mustHold: Findings["mustHold"], isStepped: boolean): void => {
  const { name, usageLimit } = tenant
  if (usageLimit === null) return
  const { periodMs } = usageLimit
  const periods = new Map<number, bigint>()
  for (const { atMs, credits } of byHold) {
    const period = Math.floor(atMs / periodMs)
    periods.set(period, (periods.get(period) ?? 0n) + credits)
  }
  for (const [period, credits] of periods) {
    const most = mostIn(tenant, period * periodMs, isStepped)
    mustHold(credits <= most, "the usage limit of a period", () => `${name}: ${credits} of ${most} in the period from ${period * periodMs}`)
  }
}

/** Checks one project. Where the wall clock `isStepped`, nobody knows which of its limits a period had. */
export const checkCredits = (books: ProjectBooks, tenant: Tenant, { mustHold }: Findings, isStepped: boolean): void => {
  const summed = addUp(books.journal)
  checkSums(books, summed, tenant, mustHold)
  checkUsage(summed, tenant, mustHold, isStepped)
  const timestamps = new Set(books.reports.map(({ dataResult }) => `${dataResult.drId}/${dataResult.blockTimestamp}`))
  mustHold(
    timestamps.size === books.reports.length,
    "no timestamp of a drId twice",
    () => `${tenant.name}: ${books.reports.length} reports, ${timestamps.size} timestamps`
  )
}

/** When everything has come to rest: nothing is held. */
export const checkNothingHeld = (books: ProjectBooks, { name }: Tenant, { mustHold }: Findings): void => {
  const open = books.openHolds.map(({ amount, holdId, isEscrow }) => `${isEscrow ? "escrow" : "hold"} ${holdId} of ${amount}`)
  mustHold(
    open.length === 0 && books.held === 0n,
    "each hold is resolved in the end",
    () => `${name}: ${books.held} held, ${open.join(", ")}`
  )
}
