/** Judges credits: every snapshot against its bounds, and the end against the reports: granted = remaining + used, used = what runs cost. */
import { at } from "../../audits/rest/call.ts"
import type { Moment, RestCall } from "../history/history.ts"
import { costOf, creditsIn, openingCredits, shownCredits } from "./creditBounds.ts"
import { type Evidence, lastCalls } from "./evidence.ts"
import { messagesOf, type Telling } from "./executions.ts"
import { countAt, parsed, textAt } from "../history/json.ts"
import { type TrafficViolation, unless } from "./violation.ts"

/** A snapshot of credits. `held`: if it is told. */
interface Snapshot {
  readonly what: string
  readonly step: number | undefined
  readonly tenant: number | undefined
  readonly from: Moment
  readonly to: Moment
  readonly remaining: bigint
  readonly used: bigint
  readonly held: bigint | undefined
}

const judgeSnapshot = (
  evidence: Evidence,
  { from, held, remaining, step, tenant, to, used, what }: Snapshot
): ReadonlyArray<TrafficViolation> => {
  const bounds = creditsIn(evidence, tenant, from, to)
  if (bounds === undefined) return []
  const total = remaining + used + (held ?? 0n)
  const { leastGranted, leastUsed, mostGranted, mostUsed } = bounds
  return [
    ...unless(leastUsed <= used && used <= mostUsed, "credits", step, () => `${what}: ${used} used, expected ${leastUsed} to ${mostUsed}`),
    ...unless(
      total <= mostGranted && (held === undefined || leastGranted <= total),
      "credits",
      step,
      () => `${what}: ${remaining} remain, ${used} are used, ${held ?? "some"} held, granted were ${leastGranted} to ${mostGranted}`
    )
  ]
}

const snapshotOfCall = (call: RestCall): ReadonlyArray<Snapshot> => {
  const { answer, path, sent: from, step, tenant } = call
  if (answer?.status !== 200) return []
  const facts = { what: `GET ${path}`, step, tenant, from, to: answer }
  const credits = path === "/project" ? shownCredits(answer.text) : undefined
  if (credits !== undefined) return [{ ...facts, ...credits }]
  return path === "/verify" ? verified(parsed(answer.text)).map((known) => ({ ...facts, ...known })) : []
}

const verified = (json: unknown): ReadonlyArray<Pick<Snapshot, "remaining" | "used" | "held">> => {
  const [remaining, used] = [countAt(json, "remainingCreditsSnapshot"), countAt(json, "usedCreditsSnapshot")]
  return remaining === undefined || used === undefined ? [] : [{ remaining, used, held: undefined }]
}

const snapshotsOf = ({ history }: Evidence): ReadonlyArray<Snapshot> => [
  ...history.calls.flatMap(snapshotOfCall),
  ...history.sockets.flatMap(({ asked: from, heard, step, tenant }) =>
    messagesOf(heard)
      .filter(({ json }) => json["method"] === "authorized")
      .flatMap(({ json, ...to }) => verified(json["params"]).map((known) => ({ what: "authorized", step, tenant, from, to, ...known })))
  )
]

/** The cost of a run, where it is told with its summary. */
const judgeSummary = (evidence: Evidence, telling: Telling): ReadonlyArray<TrafficViolation> => {
  const { data, id, isFresh, sent, step, tenant, told } = telling
  const summary = data["summary"]
  if (summary === undefined) return []
  const [used, remaining] = [countAt(summary, "creditsUsed"), countAt(summary, "creditsRemaining")]
  const parts = ["base", "gas", "dataProxies"].map((name) => countAt(summary, "cost", name) ?? 0n)
  const total = parts.reduce((one, other) => one + other, 0n)
  const report = tenant === undefined ? undefined : evidence.settled.get(tenant)?.get(id)
  const cost = isFresh === true && report !== undefined ? costOf(report) : undefined
  const bounds = creditsIn(evidence, tenant, sent, told)
  return [
    ...unless(countAt(summary, "cost", "total") === total, "credits", step, () => `cost.total is not the sum of its parts, ${total}`),
    ...unless(cost === undefined || used === cost, "credits", step, () => `the summary says ${used} credits, the report ${cost}`),
    ...unless(
      isFresh !== false || used === 0n || isOfKey(telling),
      "credits",
      step,
      () => `a stored result says that it cost ${used} credits`
    ),
    ...unless(
      bounds === undefined || remaining === undefined || isOfKey(telling) || remaining <= bounds.mostRemaining,
      "credits",
      step,
      () => `the summary says that ${remaining} credits remain, at most ${bounds?.mostRemaining} can`
    )
  ]
}

/** Repeated answers show the summary of their run. */
const isOfKey = ({ execution }: Telling): boolean => execution?.idempotencyKey !== undefined

/** One price for one amount of gas: no traffic calls data proxies. */
const judgePrices = (reports: ReadonlyArray<Telling>): ReadonlyArray<TrafficViolation> => {
  const prices = new Map<string, bigint>()
  return reports.flatMap((report) => {
    const gas = textAt(report.data, "gasUsed") ?? ""
    const price = prices.get(gas) ?? costOf(report)
    prices.set(gas, price)
    const isPriced = price === costOf(report) && costOf(report) > 0n && gas === at(report.data, "dataResult", "gasUsed")
    return unless(
      isPriced,
      "credits",
      undefined,
      () => `the run ${report.id} cost ${costOf(report)} credits for ${gas} gas, another one ${price}`
    )
  })
}

/** What is left after everything has ended. */
const judgeEnd = ({ history, settled }: Evidence, tenant: number): ReadonlyArray<TrafficViolation> => {
  const opening = openingCredits(history, tenant)
  const last = shownCredits(lastCalls(history, "/project", tenant).at(-1)?.answer?.text)
  const reports = settled.get(tenant)
  if (opening === undefined || last === undefined || reports === undefined) return []
  const granted = history.grants.filter((grant) => grant.tenant === tenant).reduce((sum, { credits }) => sum + credits, opening.granted)
  const cost = [...reports.values()].reduce((sum, report) => sum + costOf(report), opening.used)
  return [
    ...unless(last.held === 0n, "credits", undefined, () => `${last.held} credits of tenant ${tenant} are held, nothing runs any more`),
    ...unless(
      last.remaining + last.used + last.held === granted,
      "credits",
      undefined,
      () => `tenant ${tenant} was granted ${granted}: ${last.remaining} remain, ${last.used} are used, ${last.held} held`
    ),
    ...unless(last.used === cost, "credits", undefined, () => `tenant ${tenant} has used ${last.used} credits, by its reports ${cost}`),
    ...judgePrices([...reports.values()])
  ]
}

/** Everything about credits. */
export const judgeCredits = (evidence: Evidence): ReadonlyArray<TrafficViolation> => [
  ...snapshotsOf(evidence).flatMap((snapshot) => judgeSnapshot(evidence, snapshot)),
  ...evidence.tellings.flatMap((telling) => judgeSummary(evidence, telling)),
  ...[...evidence.settled.keys()].flatMap((tenant) => judgeEnd(evidence, tenant))
]
