/** Judges stored results: given wherever there is one, always the newest that fits, and that nothing runs for them. */
import { isBefore } from "../history/history.ts"
import type { Evidence } from "./evidence.ts"
import { askedKeyOf, type Execution, isReplayed, isStored, requestKeyOf, type Telling, tellingOf } from "./executions.ts"
import { countAt, textAt } from "../history/json.ts"
import { type TrafficViolation, unless } from "./violation.ts"

const timestampOf = ({ data }: Telling): bigint => countAt(data, "dataResult", "blockTimestamp") ?? 0n

const isSuccess = ({ data }: Telling): boolean => countAt(data, "dataResult", "exitCode") === 0n

/** Runs that certainly were stored when the request was sent, and fit it. */
const storedFor = ({ tellings }: Evidence, { asked, sent, tenant }: Execution, onlySuccess: boolean): ReadonlyArray<Telling> => {
  const key = askedKeyOf(asked)
  return tellings.filter(
    (telling) =>
      telling.tenant === tenant &&
      isBefore(telling.told, sent) &&
      requestKeyOf(telling.data["dataRequest"]) === key &&
      (!onlySuccess || isSuccess(telling))
  )
}

const newestOf = (tellings: ReadonlyArray<Telling>): Telling | undefined =>
  tellings.reduce<Telling | undefined>(
    (one, other) => (one === undefined || timestampOf(other) > timestampOf(one) ? other : one),
    undefined
  )

/** A short age may refuse what is stored. */
const isOfAnyAge = (maxAge: number | undefined): boolean => maxAge === undefined || maxAge >= 3_600

/** The run was made for a request that had to be given a stored result. Over WebSocket only its report tells. */
const ranForIt = ({ executions, settled }: Evidence, execution: Execution, { id, tenant }: Telling): boolean => {
  const report = tenant === undefined ? undefined : settled.get(tenant)?.get(id)
  if (textAt(report?.data, "source") !== execution.via) return false
  const key = askedKeyOf(execution.asked)
  const others = executions.filter(
    (other) => other !== execution && other.tenant === tenant && other.via === execution.via && askedKeyOf(other.asked) === key
  )
  return !others.some((other) => other.reply === undefined || tellingOf(other)?.id === id)
}

const judgeOne = (evidence: Evidence, execution: Execution): ReadonlyArray<TrafficViolation> => {
  const { asked, idempotencyKey, isLastResult, reply, step } = execution
  if (asked.kind !== "run" || reply === undefined || (idempotencyKey !== undefined && isReplayed(reply))) return []
  const { maxAge, mode, returnLastResult } = asked.run.options
  const telling = tellingOf(execution)
  const wrong = (holds: boolean, message: () => string): ReadonlyArray<TrafficViolation> => unless(holds, "last-result", step, message)
  if (!isLastResult && !returnLastResult) {
    return wrong(telling === undefined || !isStored(reply), () => "a stored result, which was not asked for")
  }
  const onlySuccess = !isLastResult || mode === "success"
  const newest = newestOf(storedFor(evidence, execution, onlySuccess))
  if (reply.tag === "LastResultNotFound") return wrong(newest === undefined, () => `nothing is stored, but the run ${newest?.id} is`)
  if (telling === undefined || newest === undefined || (!isLastResult && !isOfAnyAge(maxAge))) return []
  return [
    ...wrong(timestampOf(telling) >= timestampOf(newest), () => `the run ${telling.id} is older than ${newest.id}, which was stored`),
    ...wrong(!onlySuccess || isSuccess(telling), () => `the run ${telling.id} failed`),
    ...wrong(execution.via === "ws" || isStored(reply), () => `x-sibyl-cache is not hit: it ran although ${newest.id} was stored`),
    ...wrong(!ranForIt(evidence, execution, telling), () => `${telling.id} was run although ${newest.id} was stored`)
  ]
}

/** Every answer that is stored, or should be. */
export const judgeStored = (evidence: Evidence): ReadonlyArray<TrafficViolation> =>
  evidence.executions.flatMap((execution) => judgeOne(evidence, execution))
