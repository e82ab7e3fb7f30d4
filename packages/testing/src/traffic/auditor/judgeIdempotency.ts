/** Judges requests under one idempotency key: one run, one answer, repeated byte for byte (decision D34). */
import { isBefore } from "../history/history.ts"
import type { Evidence } from "./evidence.ts"
import { type Execution, isRecord, isReplayed, type Reply } from "./executions.ts"
import { type TrafficViolation, unless } from "./violation.ts"

interface Answered extends Execution {
  readonly reply: Reply
}

const isKept = (execution: Execution): execution is Answered => execution.reply !== undefined && isRecord(execution.reply.tag)

const textOf = ({ reply }: Answered): string | undefined => reply.call?.answer?.text

/** A dry run changes nothing, so it ignores the key. */
const isKeyed = ({ asked, idempotencyKey }: Execution): boolean =>
  idempotencyKey !== undefined && !(asked.kind === "run" && asked.run.options.dryRun)

const judgeGroup = (group: ReadonlyArray<Execution>): ReadonlyArray<TrafficViolation> => {
  const kept = group.filter(isKept)
  const [first] = kept
  const other = kept.find((answered) => textOf(answered) !== (first === undefined ? undefined : textOf(first)))
  const firsts = kept.filter(({ reply }) => !isReplayed(reply))
  return [
    ...unless(other === undefined, "idempotency", other?.step, () => `two different answers under the key ${first?.idempotencyKey}`),
    ...unless(
      firsts.length < 2,
      "idempotency",
      firsts[1]?.step,
      () => `${firsts.length} answers under the key ${first?.idempotencyKey} do not say that they are repeated`
    ),
    ...group.flatMap((execution) => judgeReused(group, execution))
  ]
}

/** A request that was refused for its key, although its own first answer is kept. */
const judgeReused = (group: ReadonlyArray<Execution>, { reply, sent, step, text }: Execution): ReadonlyArray<TrafficViolation> => {
  if (reply?.tag !== "IdempotencyKeyReused") return []
  const same = group.find((other) => isKept(other) && other.text === text && isBefore(other.reply, sent))
  return unless(same === undefined, "idempotency", step, () => "the same request was answered under this key before")
}

/** Every group of requests with one key. */
export const judgeIdempotency = ({ executions }: Evidence): ReadonlyArray<TrafficViolation> => {
  const groups = new Map<string, Array<Execution>>()
  for (const execution of executions.filter(isKeyed)) {
    const name = `${execution.tenant} ${execution.idempotencyKey}`
    groups.set(name, [...(groups.get(name) ?? []), execution])
  }
  return [...groups.values()].flatMap(judgeGroup)
}
