/** The one way into the pipeline: REST, `feed.execute` and every run of a feed read, perform and show executions here. */
import { Effect } from "effect"
import type { InvalidParameter } from "../contract/errors.ts"
import type { ExecutionReport } from "../domain/executionReport.ts"
import type { Project } from "../domain/project.ts"
import { Execution, type ExecutionRefused } from "../services/execution.ts"
import { Options } from "../services/serviceOptions.ts"
import { type ExecuteParameters, type ParameterPlace, readExecuteParameters } from "./executeParameters.ts"
import { executionView, hasFailed } from "./executionView.ts"
import type { Members } from "./rpcView.ts"

/** An execution as its client reads it. */
export interface PerformedExecution {
  readonly view: Members
  readonly failed: boolean
  /** Set when a remembered result was answered. */
  readonly cachedAgeMs: number | undefined
}

/** The limits that hold for a project. */
export const limitsOf = (project: Project) => Effect.map(Options, ({ limits }) => ({ ...limits, ...project.limits }))

/** Checks and decodes the parameters of an execution. */
export const readExecution = (
  places: ReadonlyArray<ParameterPlace>,
  project: Project
): Effect.Effect<ExecuteParameters, InvalidParameter, Options> =>
  Effect.flatMap(limitsOf(project), ({ inputBytes }) => readExecuteParameters(places, inputBytes))

/** Performs an execution under an id (a UUID) of its own. */
export const performExecution = (
  { key, options }: ExecuteParameters,
  project: Project,
  id: string,
  source: ExecutionReport["source"]
): Effect.Effect<PerformedExecution, ExecutionRefused, Execution | Options> =>
  Effect.gen(function*() {
    const service = yield* Options
    const { balance, cachedAgeMs, report } = yield* (yield* Execution).execute({
      id,
      project,
      source,
      key,
      injectLastResult: options.injectLastResult ?? "none",
      returnLastResult: options.returnLastResult ?? false,
      maxAgeSeconds: options.returnLastResultMaxAge
    })
    const view = executionView({ report, balance, cached: cachedAgeMs !== undefined, options }, service)
    return { view, failed: hasFailed(report), cachedAgeMs }
  })
