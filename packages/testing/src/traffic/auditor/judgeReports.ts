/** Judges reports: each page, and that at the end every run that was told of is in them. */
import { at } from "../../audits/rest/call.ts"
import { isBefore, type RestCall } from "../history/history.ts"
import { entriesOf, type Evidence, isOpening } from "./evidence.ts"
import { isStored, type Telling } from "./executions.ts"
import { countAt, parsed, textAt } from "../history/json.ts"
import { type TrafficViolation, unless } from "./violation.ts"

const drIdOf = ({ data }: Telling): string | undefined => textAt(data, "dataResult", "drId")

const paramOf = ({ query }: RestCall, name: string): string | undefined => query.find(([known]) => known === name)?.[1]

const isSortedBy = (values: ReadonlyArray<string>): boolean => values.every((value, at) => at === 0 || (values[at - 1] ?? "") >= value)

/** What the entry of a run says of its source. */
const sourceFits = (telling: Telling, entry: Telling): boolean => {
  const { isFresh, how } = telling
  return isFresh !== true || textAt(entry.data, "source") === how
}

const judgePage = ({ tellings }: Evidence, call: RestCall): ReadonlyArray<TrafficViolation> => {
  const { answer, sent, step, tenant } = call
  if (call.path !== "/data-request-reports" || answer?.status !== 200) return []
  const entries = entriesOf(call)
  const asked = paramOf(call, "drId")?.slice(-64).toLowerCase()
  const amount = Number(paramOf(call, "amount") ?? "25")
  const wrong = (holds: boolean, message: () => string): ReadonlyArray<TrafficViolation> => unless(holds, "reports", step, message)
  const other = entries.find((entry) => drIdOf(entry) !== asked || entry.data["drId"] !== asked)
  const isWhole =
    ["startDate", "endDate", "nextPageId"].every((name) => paramOf(call, name) === undefined) &&
    at(parsed(answer.text), "nextPageId") === null
  const ids = entries.map(({ id }) => id)
  const missing = tellings.find(
    (telling) => telling.tenant === tenant && drIdOf(telling) === asked && isBefore(telling.told, sent) && !ids.includes(telling.id)
  )
  const exit = entries.find(({ data }) => countAt(data, "exitCode") !== countAt(data, "dataResult", "exitCode"))
  return [
    ...wrong(entries.length <= amount, () => `${entries.length} entries, asked for were ${amount}`),
    ...wrong(new Set(ids).size === ids.length, () => "a run is in a page twice"),
    ...wrong(isSortedBy(entries.map(({ data }) => textAt(data, "executedAt") ?? "")), () => "the newest is not the first"),
    ...wrong(other === undefined, () => `an entry of ${drIdOf(other as Telling)}, asked for was ${asked}`),
    ...wrong(exit === undefined, () => "the exit code of an entry is not that of its result"),
    ...wrong(!isWhole || missing === undefined, () => `the run ${missing?.id} was told before and is not there`)
  ]
}

/** Every run that was told of is reported, once, with its source. */
const judgeTold = ({ settled, tellings }: Evidence, isOld: (telling: Telling) => boolean): ReadonlyArray<TrafficViolation> =>
  tellings.flatMap((telling) => {
    const reports = telling.tenant === undefined ? undefined : settled.get(telling.tenant)
    if (reports === undefined || isOld(telling)) return []
    const entry = reports.get(telling.id)
    return [
      ...unless(entry !== undefined, "reports", telling.step, () => `the run ${telling.id} is in no report`),
      ...unless(
        entry === undefined || sourceFits(telling, entry),
        "reports",
        telling.step,
        () => `the report of ${telling.id} says ${textAt(entry?.data, "source")}, it was asked for by ${telling.how}`
      )
    ]
  })

/** Pages of one listing together: a run that is on two pages was listed twice. */
const judgeListings = ({ history, settled }: Evidence): ReadonlyArray<TrafficViolation> =>
  [...settled.keys()].flatMap((tenant) => {
    const pages = history.calls.filter(
      (call) => call.tenant === tenant && isBefore(history.settled, call.sent) && call.path === "/data-request-reports"
    )
    const ids = pages.flatMap(entriesOf).map(({ id }) => id)
    const twice = ids.find((id, at) => ids.indexOf(id) !== at)
    return unless(twice === undefined, "reports", undefined, () => `the run ${twice} is on two pages`)
  })

/** Everything about reports. */
export const judgeReports = (evidence: Evidence): ReadonlyArray<TrafficViolation> => {
  // On a project that is not its own, a sequence may be shown stored results of older ones.
  const opened = evidence.executions.some(isOpening)
  const isOld = ({ execution, isFresh }: Telling): boolean =>
    opened && (isFresh !== true || execution?.step === undefined || (execution.reply !== undefined && isStored(execution.reply)))
  return [...evidence.history.calls.flatMap((call) => judgePage(evidence, call)), ...judgeListings(evidence), ...judgeTold(evidence, isOld)]
}
