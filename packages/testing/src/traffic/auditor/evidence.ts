/** Everything that the rules read, gathered once from a history. */
import { at } from "../../audits/rest/call.ts"
import { type History, isBefore, type RestCall } from "../history/history.ts"
import { type Execution, executionsOf, isRecord, type Telling, tellingOf } from "./executions.ts"
import { countAt, isMembers, parsed, textAt } from "../history/json.ts"
import { feedsOf, type StartedFeed, tellingsOfFeed } from "./startedFeeds.ts"
import { type Ticket, ticketsOf } from "./tickets.ts"

/** A history, read. */
export interface Evidence {
  readonly history: History
  readonly executions: ReadonlyArray<Execution>
  readonly feeds: ReadonlyArray<StartedFeed>
  /** By their texts. */
  readonly tickets: ReadonlyMap<string, Ticket>
  /** Every run that was told of, except in reports, in the order in which they were told. */
  readonly tellings: ReadonlyArray<Telling>
  /** The entries of all reports, in that order. */
  readonly reported: ReadonlyArray<Telling>
  /** Of each tenant, after everything has ended: the entries by id. Absent if they could not be asked for. */
  readonly settled: ReadonlyMap<number, ReadonlyMap<string, Telling>>
  /** The key of `GET /info`. */
  readonly publicKey: string | undefined
  /** Of each tenant's project. */
  readonly gasLimits: ReadonlyMap<number, { readonly exec: string; readonly tally: string }>
}

/** The entries of a page of reports. */
export const entriesOf = (call: RestCall): ReadonlyArray<Telling> => {
  const { answer, sent, step, tenant } = call
  const entries = at(parsed(answer?.text ?? ""), "data")
  if (call.path !== "/data-request-reports" || answer?.status !== 200 || !Array.isArray(entries)) return []
  const told = { order: answer.order, atMs: answer.atMs }
  return entries.flatMap((data: unknown): ReadonlyArray<Telling> => {
    const id = textAt(data, "id")
    if (id === undefined || !isMembers(data)) return []
    return [{ how: "report", isFresh: false, tenant, step, id, data, sent, told, execution: undefined }]
  })
}

/** The calls that show what is left after everything has ended. */
export const lastCalls = ({ calls, settled }: History, path: string, tenant: number): ReadonlyArray<RestCall> =>
  calls.filter((call) => call.path === path && call.tenant === tenant && isBefore(settled, call.sent) && call.answer?.status === 200)

/** The tenants of a history. */
export const tenantsOf = ({ keys }: History): ReadonlyArray<number> => [...new Set(keys.map(({ tenant }) => tenant))]

const gasLimitsOf = ({ calls }: History, tenant: number): { readonly exec: string; readonly tally: string } | undefined => {
  const call = calls.find(({ answer, path, tenant: of }) => path === "/project" && of === tenant && answer?.status === 200)
  const limits = at(parsed(call?.answer?.text ?? ""), "gasLimits")
  const [exec, tally] = [textAt(limits, "exec"), textAt(limits, "tally")]
  return exec === undefined || tally === undefined ? undefined : { exec, tally }
}

const mapOf = <Value>(tenants: ReadonlyArray<number>, valueOf: (tenant: number) => Value | undefined): ReadonlyMap<number, Value> =>
  new Map(
    tenants.flatMap((tenant) => {
      const value = valueOf(tenant)
      return value === undefined ? [] : [[tenant, value] as const]
    })
  )

/** The run with which a sequence began on a project that is not its own: what is older is not of this sequence. */
const openingOf = (executions: ReadonlyArray<Execution>, tenant: number): Telling | undefined => {
  const opening = executions.find((execution) => execution.tenant === tenant && isOpening(execution))
  return opening === undefined ? undefined : tellingOf(opening)
}

/** Whether it is such a run; where quotes are unknown, the question for one is a run, too, but of the sequence. */
export const isOpening = ({ asked, reply, step }: Execution): boolean =>
  step === undefined && isRecord(reply?.tag) && asked.kind === "run" && !asked.run.options.dryRun

const timestampOf = ({ data }: Telling): bigint => countAt(data, "dataResult", "blockTimestamp") ?? 0n

const settledOf = (history: History, executions: ReadonlyArray<Execution>, tenant: number): ReadonlyMap<string, Telling> | undefined => {
  // Without the credits at the end, the tenant had no key any more with which to ask.
  if (lastCalls(history, "/project", tenant).length === 0) return undefined
  const opening = openingOf(executions, tenant)
  const isOfSequence = (entry: Telling): boolean =>
    opening === undefined || (entry.id !== opening.id && timestampOf(entry) >= timestampOf(opening))
  const entries = lastCalls(history, "/data-request-reports", tenant).flatMap(entriesOf).filter(isOfSequence)
  return new Map(entries.map((entry) => [entry.id, entry]))
}

const inOrder = (one: Telling, other: Telling): number => one.told.order - other.told.order

/** Reads a history. */
export const evidenceOf = (history: History): Evidence => {
  const executions = executionsOf(history)
  const feeds = feedsOf(history)
  const info = history.calls.find(({ answer, path }) => path === "/info" && answer?.status === 200)
  const tenants = tenantsOf(history)
  return {
    history,
    executions,
    feeds,
    tickets: ticketsOf(history),
    tellings: [
      ...executions.flatMap((execution) => {
        const telling = tellingOf(execution)
        return telling === undefined ? [] : [telling]
      }),
      ...feeds.flatMap(tellingsOfFeed)
    ].toSorted(inOrder),
    reported: history.calls.flatMap(entriesOf),
    settled: mapOf(tenants, (tenant) => settledOf(history, executions, tenant)),
    publicKey: textAt(parsed(info?.answer?.text ?? ""), "publicKey"),
    gasLimits: mapOf(tenants, (tenant) => gasLimitsOf(history, tenant))
  }
}
