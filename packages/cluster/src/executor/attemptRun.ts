/** One task on the virtual machine of an executor: what the executor cannot know, it asks. */
import type { Abandonment, DataProxy, PhaseRequest, RunOutcome, Overloaded } from "@sibyl/core"
import { RuntimeDefect } from "@sibyl/core"
import { readTraceParent, readTraceState, spanOutside, traced } from "@sibyl/core/internal"
import type { Continuation, ProxyDirectory, ResumableRuntime, TallyJob } from "@sibyl/vm/internal"
import { type Context, Effect, Option, type Tracer } from "effect"
import type { Answer, Task } from "../contract/orders.ts"
import type { Ask } from "../contract/replies.ts"
import type { ProgramCache } from "./programCache.ts"

/** What a task needs to run. */
export interface TaskParts {
  readonly runtime: Context.Tag.Service<ResumableRuntime>
  readonly programs: ProgramCache
  readonly ask: (ask: Ask) => Effect.Effect<Answer>
  readonly onTape: NonNullable<Continuation["onTape"]>
  readonly abandoned: Abandonment
}

/** The answer of the kind that was asked for. */
const answered = <Kind extends Answer["kind"]>(
  { ask }: TaskParts,
  question: Ask,
  kind: Kind
): Effect.Effect<Answer & { readonly kind: Kind }> =>
  Effect.flatMap(ask(question), (answer) =>
    answer.kind === kind
      ? Effect.succeed(answer as Answer & { readonly kind: Kind })
      : Effect.die(new RuntimeDefect(`the edge answers ${answer.kind} where ${kind} was asked for`))
  )

const proxiesOf = (parts: TaskParts): ProxyDirectory => ({
  find: (publicKey) =>
    Effect.map(answered(parts, { kind: "proxy", publicKey }, "proxy"), ({ proxy }) => Option.fromNullable<DataProxy | null>(proxy)),
  proof: Effect.map(answered(parts, { kind: "proof" }, "proof"), ({ proof }) => proof)
})

const programOf = (programId: string, parts: TaskParts): Effect.Effect<Uint8Array> =>
  parts.programs.bytesOf(
    programId,
    Effect.map(answered(parts, { kind: "program", programId }, "program"), ({ bytes }) => bytes)
  )

const requestOf = ({ request }: Task, program: Uint8Array, parts: TaskParts): PhaseRequest => {
  const { hasProxies: _, hasStorage, ...rest } = request
  const read = (keys: ReadonlyArray<string>) => Effect.map(answered(parts, { kind: "storage", keys }, "storage"), ({ view }) => view)
  return { ...rest, program, abandoned: parts.abandoned, ...(hasStorage ? { storage: { read } } : {}) }
}

const tallyOf = ({ limits }: Task["request"], { programId, ...rest }: NonNullable<Task["tally"]>, bytes: Uint8Array): TallyJob => ({
  ...rest,
  source: { programId, bytes, memoryPages: limits.memoryPages },
  budgetMs: limits.tallyWallClockMs
})

const runWith = (task: Task, parts: TaskParts, program: Uint8Array, tally: TallyJob | undefined): Effect.Effect<RunOutcome, Overloaded> =>
  parts.runtime.run({
    request: requestOf(task, program, parts),
    tape: task.tape,
    continuation: { spent: task.spent, onTape: parts.onTape },
    tally,
    proxies: task.request.hasProxies ? Option.some(proxiesOf(parts)) : Option.none()
  })

/** The span of the edge that this task belongs to. */
const callerOf = ({ trace }: Task): Tracer.AnySpan | undefined => {
  const place = readTraceParent(trace?.parent)
  return place === undefined ? undefined : spanOutside(place, readTraceState(trace?.state))
}

/** Runs a task to its end, within the trace of its edge where that is recorded. */
export const runTask = (task: Task, parts: TaskParts): Effect.Effect<RunOutcome, Overloaded> => {
  const { request, tally } = task
  const run = Effect.flatMap(programOf(request.programId, parts), (program) =>
    tally === undefined
      ? runWith(task, parts, program, undefined)
      : Effect.flatMap(programOf(tally.programId, parts), (bytes) => runWith(task, parts, program, tallyOf(request, tally, bytes)))
  )
  return task.trace === undefined
    ? run
    : traced("executor", run, { "sibyl.attempt": task.attempt }, { kind: "server", parent: () => callerOf(task) })
}
