/** What a project's credits may be while a request is answered: bounds from what certainly happened and from what may have. */
import { type History, isBefore, type Moment } from "../history/history.ts"
import type { Evidence } from "./evidence.ts"
import type { Execution, Telling } from "./executions.ts"
import { countAt, parsed } from "../history/json.ts"

/** Bounds for a span of time. */
export interface CreditBounds {
  readonly leastGranted: bigint
  readonly mostGranted: bigint
  readonly leastUsed: bigint
  readonly mostUsed: bigint
  readonly mostRemaining: bigint
  /** Whether the credits that remain may not have covered what a run holds. */
  readonly mayBeRefused: boolean
}

/** What a project had before the sequence. */
export interface OpeningCredits {
  readonly granted: bigint
  readonly used: bigint
}

/** The credits that `GET /project` shows. */
export const shownCredits = (
  text: string | undefined
): { readonly remaining: bigint; readonly used: bigint; readonly held: bigint } | undefined => {
  const json = parsed(text ?? "")
  const [remaining, used, held] = ["remaining", "used", "held"].map((name) => countAt(json, "credits", name))
  return remaining === undefined || used === undefined || held === undefined ? undefined : { remaining, used, held }
}

/** What the first `GET /project` of the tenant showed. */
export const openingCredits = ({ calls }: History, tenant: number): OpeningCredits | undefined => {
  const first = calls.find((call) => call.tenant === tenant && call.path === "/project" && call.answer?.status === 200)
  const credits = shownCredits(first?.answer?.text)
  return credits === undefined ? undefined : { granted: credits.remaining + credits.used + credits.held, used: credits.used }
}

/** What a report says that its run cost. */
export const costOf = ({ data }: Telling): bigint => countAt(data, "creditsUsed") ?? 0n

const sum = (amounts: ReadonlyArray<bigint>): bigint => amounts.reduce((one, other) => one + other, 0n)

/** What runs are known to hold at least and at most: what quotes and refusals say. */
export const knownHolds = ({ executions }: Evidence): { readonly least: bigint; readonly most: bigint } | undefined => {
  const said = executions.flatMap(({ reply }) => [
    countAt(reply?.json, "data", "quote", "worstCase"),
    countAt(reply?.json, "details", "required")
  ])
  const known = said.filter((amount) => amount !== undefined)
  const [first, ...others] = known
  if (first === undefined) return undefined
  return {
    least: others.reduce((one, other) => (one < other ? one : other), first),
    most: others.reduce((one, other) => (one > other ? one : other), first)
  }
}

/** How many runs of the tenant may hold credits in a span, besides the one that asks. */
const mayHold = ({ executions, feeds, history }: Evidence, tenant: number, from: Moment, to: Moment, except?: Execution): bigint => {
  const others = executions.filter(
    (other) =>
      other !== except && other.tenant === tenant && isBefore(other.sent, to) && (other.reply === undefined || isBefore(from, other.reply))
  )
  // A run of a feed may go on after its stop.
  const fed = feeds.filter(({ sent, socket }) => socket.tenant === tenant && isBefore(sent, to))
  const overlaps = fed.map(({ law }) => (law?.mode === "PARALLEL" ? history.feedOverlap : 1))
  return BigInt(others.length + overlaps.reduce((one, other) => one + other, 0))
}

/** Bounds of what the tenant's runs have cost. */
const usedIn = ({ settled, tellings }: Evidence, tenant: number, opening: OpeningCredits, from: Moment, to: Moment) => {
  const reports = settled.get(tenant) ?? new Map<string, Telling>()
  const told = tellings.filter((telling) => telling.tenant === tenant && reports.has(telling.id))
  const ended = new Set(told.filter((telling) => isBefore(telling.told, from)).map(({ id }) => id))
  const later = new Set(told.filter(({ isFresh, sent }) => isFresh === true && isBefore(to, sent)).map(({ id }) => id))
  const costs = (isCounted: (id: string) => boolean): bigint => sum([...reports.values()].filter(({ id }) => isCounted(id)).map(costOf))
  return { least: opening.used + costs((id) => ended.has(id)), most: opening.used + costs((id) => !later.has(id)) }
}

/** Bounds between two moments; `undefined` if the tenant's credits are not known. */
export const creditsIn = (
  evidence: Evidence,
  tenant: number | undefined,
  from: Moment,
  to: Moment,
  except?: Execution
): CreditBounds | undefined => {
  const { history, settled } = evidence
  if (tenant === undefined || !settled.has(tenant)) return undefined
  const opening = openingCredits(history, tenant)
  if (opening === undefined) return undefined
  const grants = history.grants.filter((grant) => grant.tenant === tenant)
  const leastGranted = opening.granted + sum(grants.filter((grant) => isBefore(grant.to, from)).map(({ credits }) => credits))
  const mostGranted = opening.granted + sum(grants.filter((grant) => isBefore(grant.from, to)).map(({ credits }) => credits))
  const used = usedIn(evidence, tenant, opening, from, to)
  const hold = knownHolds(evidence)?.most
  // Holds of a dead process stay until their leases end.
  const isClear = hold !== undefined && !history.crashes.some((crash) => isBefore(crash.from, to))
  const leastRemaining = leastGranted - used.most - (hold ?? 0n) * mayHold(evidence, tenant, from, to, except)
  return {
    leastGranted,
    mostGranted,
    leastUsed: used.least,
    mostUsed: used.most,
    mostRemaining: mostGranted - used.least,
    mayBeRefused: !isClear || leastRemaining < (hold ?? 0n)
  }
}
