/** Reads, performs and shows executions, for REST, `feed.execute` and every run of a feed. */
import { Context, Effect, type Either, Option } from "effect"
import type { InvalidParameter } from "../../contract/errors.ts"
import type { ExecutionReport } from "../../domain/reports/executionReport.ts"
import type { ResolvedProject } from "../../domain/accounts/project.ts"
import { type AnsweredRun, Execution, type ExecutionRefused } from "../../services/execution.ts"
import { Options } from "../../services/settings/serviceOptions.ts"
import { type ExecuteParameters, type ParameterPlace, readExecuteParameters } from "./executeParameters.ts"
import { executionView, hasFailed } from "./executionView.ts"
import type { KeptAnswer } from "../../domain/runs/idempotency.ts"
import { unchargedAnswer } from "./unchargedAnswer.ts"
import type { Members } from "../../domain/encoding/responseJson.ts"

/** A run as shown to its client. */
export interface ShownRun {
  readonly view: Members
  readonly failed: boolean
  /** Set if a stored result was answered. */
  readonly cachedAgeMs: number | undefined
}

/** Checks and decodes the parameters of an execution. */
export const readExecution = (
  places: ReadonlyArray<ParameterPlace>,
  { limits }: ResolvedProject,
  otherNames: ReadonlyArray<string> = []
): Either.Either<ExecuteParameters, InvalidParameter> => readExecuteParameters(places, limits.inputBytes, otherNames)

/** How the run of a request with an idempotency key is answered. */
export interface KeyedAnswer {
  /** As it is stored. */
  readonly key: string
  readonly answerOf: (shown: ShownRun) => KeptAnswer
}

/** Performs one execution under an id (a UUID), for the project in its current state. The answer under a key is kept with the charge. */
export type Perform = (
  project: ResolvedProject,
  id: string,
  source: ExecutionReport["source"],
  keyed?: KeyedAnswer
) => Effect.Effect<ShownRun, ExecutionRefused>

const performerIn = (services: Context.Context<Execution | Options>, { key, options }: ExecuteParameters): Perform => {
  const execution = Context.get(services, Execution)
  const service = Context.get(services, Options)
  const request = {
    key,
    injectLastResult: options.injectLastResult ?? ("none" as const),
    returnLastResult: options.returnLastResult ?? false,
    maxAgeSeconds: options.returnLastResultMaxAge,
    noPrefetch: options.noPrefetch ?? false,
    isRecorded: options.includeRecording ?? false
  }
  const shown = ({ balance, cachedAgeMs, report }: AnsweredRun): ShownRun => ({
    view: executionView({ report, balance, cached: cachedAgeMs !== undefined, options }, service),
    failed: hasFailed(report),
    cachedAgeMs
  })
  const keptOf = ({ answerOf, key: name }: KeyedAnswer, report: ExecutionReport) =>
    unchargedAnswer(name, (balance) => answerOf(shown({ report, balance, cachedAgeMs: undefined })))
  return (project, id, source, keyed) => {
    const answerOf = keyed === undefined ? undefined : (report: ExecutionReport) => keptOf(keyed, report)
    return Effect.map(execution.execute({ id, project, source, answerOf, ...request }), shown)
  }
}

/** A function that performs the execution again and again for a feed: its services are looked up only once. */
export const performerOf = (parameters: ExecuteParameters): Effect.Effect<Perform, never, Execution | Options> =>
  Effect.contextWith((services: Context.Context<Execution | Options>) => performerIn(services, parameters))

/** Performs an execution once. */
export const performExecution = (
  parameters: ExecuteParameters,
  project: ResolvedProject,
  id: string,
  source: ExecutionReport["source"],
  keyed?: KeyedAnswer
): Effect.Effect<ShownRun, ExecutionRefused, Execution | Options> =>
  Effect.contextWithEffect((services: Context.Context<Execution | Options>) =>
    performerIn(services, parameters)(project, id, source, keyed)
  )

/** The finished run with this id, shown as these parameters ask. */
export const recallExecution = (
  { options }: ExecuteParameters,
  project: ResolvedProject,
  id: string
): Effect.Effect<Option.Option<ShownRun>, never, Execution | Options> =>
  Effect.gen(function* () {
    const service = yield* Options
    const found = yield* (yield* Execution).recall(project, id)
    return Option.map(found, ({ balance, report }) => ({
      view: executionView({ report, balance, cached: false, options }, service),
      failed: hasFailed(report),
      cachedAgeMs: undefined
    }))
  })
