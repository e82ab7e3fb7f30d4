/** Executes a request up to the signed, charged and stored result; REST, `feed.execute` and feeds all use this. */
import { Cause, Context, Effect, Exit, Layer, Option } from "effect"
import type { CreditLimitExceeded, InsufficientCredits, Overloaded } from "../contract/errors.ts"
import { knownFailureIn } from "../contract/knownFailure.ts"
import { dataRequestOf } from "../domain/protocol/dataRequestOf.ts"
import type { Abandonment } from "../domain/runs/abandonment.ts"
import type { ExecutionReport } from "../domain/reports/executionReport.ts"
import { lastResultKeyOf } from "../domain/reports/lastResultKey.ts"
import type { Project, ResolvedProject } from "../domain/accounts/project.ts"
import type { Limits } from "../domain/settings/limits.ts"
import { Entropy, timeOrderedUuidOf } from "../ports/entropy.ts"
import { Ledger } from "../ports/ledger.ts"
import { metricList } from "../ports/metrics/metricList.ts"
import { Metrics } from "../ports/metrics/metrics.ts"
import { ProgramRuntime } from "../ports/programRuntime.ts"
import { type LastResultMode, ResultStore } from "../ports/resultStore.ts"
import { refusalOf } from "./programs/allowList.ts"
import { type DeployedProgram, type DeployedPrograms, makeDeployedPrograms, type ProgramRefused } from "./programs/deployedPrograms.ts"
import { Credits } from "./credits/credits.ts"
import type { AnswerOf, SettledRun } from "./credits/settledRun.ts"
import { storeUnavailableIn } from "../ports/storeUnavailable.ts"
import { PhaseRun } from "./phases/phaseRun.ts"
import { Pricing } from "./phases/pricing.ts"
import { proxyBudgetOf } from "./programs/proxyBudget.ts"
import { type AskedKey, hasNames, resolvePrograms } from "./programs/programReferences.ts"
import { ResultAges } from "./phases/resultAges.ts"
import { Options } from "./settings/serviceOptions.ts"
import { type LoggedRun, RunLog } from "./logs/runLog.ts"
import { onEnd } from "./fibers/plainEnds.ts"
import { makeSoleRuns } from "./fibers/soleRuns.ts"
import { noteOnSpan, traced } from "./fibers/traced.ts"

/** What a client asks for, checked and decoded. */
export interface ExecutionRequest {
  /** The id of the run, a UUID. */
  readonly id: string
  readonly project: ResolvedProject
  readonly source: ExecutionReport["source"]
  readonly key: AskedKey
  readonly injectLastResult: LastResultMode | "none"
  /** Answer the last successful result instead of running, if there is one that is young enough. */
  readonly returnLastResult: boolean
  readonly maxAgeSeconds: number | undefined
  /** Prefetch nothing, whatever the limit `httpPrefetches` says. */
  readonly noPrefetch?: boolean
  /** Keep what the run depends on with its report, so that it can be run again. */
  readonly isRecorded?: boolean
  /** Makes the answer that is kept with the charge, if the request has an idempotency key. */
  readonly answerOf?: AnswerOf | undefined
}

/** An answered run: settled now, or stored earlier. `cachedAgeMs` is set if nothing ran. */
export interface AnsweredRun extends SettledRun {
  readonly cachedAgeMs: number | undefined
}

/** Why an execution is refused. */
export type ExecutionRefused = ProgramRefused | InsufficientCredits | CreditLimitExceeded | Overloaded

/** The name of how a run ended, for those who count. */
const runOutcomeOf = (exit: Exit.Exit<SettledRun, { readonly _tag: string }>): string => {
  if (Exit.isSuccess(exit)) return exit.value.report.dataResult.exitCode === 0 ? "success" : "failed"
  const failure = knownFailureIn(exit.cause)
  if (failure !== undefined) return failure._tag
  if (Cause.isInterruptedOnly(exit.cause)) return "interrupted"
  return storeUnavailableIn(exit.cause) === undefined ? "defect" : "Unavailable"
}

/** The project's own limits, unless the run has others. */
const limitsOfRun = (limits: Limits, proxyBudgetCredits: bigint, httpPrefetches: number): Limits =>
  limits.proxyBudgetCredits === proxyBudgetCredits && limits.httpPrefetches === httpPrefetches
    ? limits
    : { ...limits, proxyBudgetCredits, httpPrefetches }

/** With its line of the log, if there are any. */
const withRunLog = (
  runLog: Context.Tag.Service<RunLog>,
  { id, key, project, source }: ExecutionRequest,
  answer: Effect.Effect<AnsweredRun, ExecutionRefused>
): Effect.Effect<AnsweredRun, ExecutionRefused> =>
  !runLog.isOn
    ? answer
    : Effect.withFiberRuntime((fiber) =>
        onEnd(answer, (exit) => {
          const ended = Exit.isSuccess(exit) ? exit.value : undefined
          const run: LoggedRun = {
            id: ended?.report.id ?? id,
            projectId: project.projectId,
            programId: key.execProgramId,
            source,
            outcome: ended?.cachedAgeMs === undefined ? runOutcomeOf(exit) : "stored",
            report: ended?.report
          }
          return runLog.ended(run, fiber)
        })
      )

/** Counts runs by how they have ended. */
const runCounts = (metrics: Context.Tag.Service<Metrics>) => {
  const ended = (outcome: string, programId: string): void => metrics.add(metricList.runs, 1, outcome, programId)
  /** Refused before there was a run. A program that nobody has deployed, or may name, would be a label of the client's making. */
  const refused = ({ _tag }: ProgramRefused) => Effect.sync(() => ended(_tag, "none"))
  return { ended, refused }
}

/** Runs a request and charges its project. */
const makeChargedRun = (programs: DeployedPrograms, counts: ReturnType<typeof runCounts>) =>
  Effect.gen(function* () {
    const results = yield* ResultStore
    const credits = yield* Credits
    const phases = yield* PhaseRun
    const pricing = yield* Pricing
    const runtime = yield* ProgramRuntime
    const options = yield* Options
    const found = (programId: string) => Effect.tapError(programs.find(programId), counts.refused)

    return Effect.fnUntraced(function* (request: ExecutionRequest) {
      const { injectLastResult, key, project } = request
      const { execProgramId, tallyProgramId } = key
      const execProgram = programs.atHand(execProgramId) ?? (yield* found(execProgramId))
      const tallyProgram = tallyProgramId === execProgramId ? execProgram : yield* found(tallyProgramId)
      const dataRequest = dataRequestOf(key, project.gasLimits, options)
      const proxyBudgetCredits = proxyBudgetOf(runtime, execProgram, project.limits.proxyBudgetCredits)
      const httpPrefetches = request.noPrefetch === true ? 0 : project.limits.httpPrefetches
      const limits = limitsOfRun(project.limits, proxyBudgetCredits, httpPrefetches)
      const last =
        injectLastResult === "none" ? Option.none<ExecutionReport>() : yield* results.last(project.projectId, key, injectLastResult)
      const phased = (abandoned: Abandonment) =>
        phases.run({
          id: request.id,
          projectId: project.projectId,
          source: request.source,
          request: dataRequest,
          execProgram,
          tallyProgram,
          limits,
          allowedHosts: project.allowedHosts,
          last: Option.getOrUndefined(last),
          isRecorded: options.keepRecordings || request.isRecorded === true,
          abandoned
        })
      const worst = pricing.worst(project.gasLimits, proxyBudgetCredits)
      const charged = yield* credits.charge(project, worst.total, phased, {
        answerOf: request.answerOf,
        ended: (exit) => counts.ended(runOutcomeOf(exit), execProgramId)
      })
      const { cost, dataResult } = charged.report
      yield* noteOnSpan(() => ({
        "sibyl.program.id": execProgramId,
        "sibyl.run.exit_code": dataResult.exitCode,
        "sibyl.run.credits": String(cost.total)
      }))
      return { report: charged.report, balance: charged.balance, cachedAgeMs: undefined }
    })
  })

/** Finds the last successful result of a request's programs, if it is as young as the client wants it. */
const makeYoungResult = Effect.gen(function* () {
  const results = yield* ResultStore
  const ages = yield* ResultAges
  return Effect.fnUntraced(function* ({ key, maxAgeSeconds, project }: ExecutionRequest) {
    const found = yield* results.last(project.projectId, key, "success")
    if (Option.isNone(found)) return Option.none()
    const ageMs = yield* ages.ageMs(found.value)
    const isYoung = maxAgeSeconds === undefined || ageMs < maxAgeSeconds * 1000
    return isYoung ? Option.some({ report: found.value, ageMs }) : Option.none()
  })
})

/** Executes Oracle Programs. */
export class Execution extends Context.Tag("@sibyl/core/Execution")<
  Execution,
  {
    readonly execute: (request: ExecutionRequest) => Effect.Effect<AnsweredRun, ExecutionRefused>
    /** The finished run with this id, and the current balance. */
    readonly recall: (project: Project, id: string) => Effect.Effect<Option.Option<AnsweredRun>>
    /** Checks that the project may run these programs and that they are deployed; a feed does so before it starts. */
    readonly check: (project: Project, key: AskedKey) => Effect.Effect<void, ProgramRefused>
    /** The program that this id or name means for the project, under the same rule. */
    readonly program: (project: Project, reference: string) => Effect.Effect<DeployedProgram, ProgramRefused>
  }
>() {
  /** Over the stores, the credits and the phases. */
  static readonly layer = Layer.effect(
    Execution,
    Effect.gen(function* () {
      const programs = yield* makeDeployedPrograms
      const counts = runCounts(yield* Metrics)
      const { ended, refused } = counts
      const run = yield* makeChargedRun(programs, counts)
      const youngResult = yield* makeYoungResult
      const results = yield* ResultStore
      const ledger = yield* Ledger
      const options = yield* Options
      const newId = timeOrderedUuidOf(yield* Entropy)
      const runLog = yield* RunLog
      const refreshes = makeSoleRuns()

      /**
       * Runs again for the next reader, once for all who ask meanwhile; over WebSocket a stored result stands in place of a run. A refusal (no
       * credits, overload) only stops the refresh.
       */
      const refresh = (request: ExecutionRequest) => {
        if (options.lastResultRefresh !== "background" || request.source !== "rest") return Effect.void
        const { injectLastResult, isRecorded = false, key, project } = request
        return refreshes(
          [project.projectId, lastResultKeyOf(key), injectLastResult, isRecorded].join(),
          Effect.flatMap(newId, (id) => run({ ...request, id, answerOf: undefined }))
        )
      }

      const answer = Effect.fnUntraced(function* (asked: ExecutionRequest) {
        const key = hasNames(asked.key)
          ? yield* Effect.tapError(resolvePrograms(programs.names, asked.project, asked.key), refused)
          : asked.key
        const request = key === asked.key ? asked : { ...asked, key }
        const notAllowed = refusalOf(request.project, key)
        if (notAllowed !== undefined) return yield* Effect.tapError(notAllowed, refused)
        if (request.returnLastResult) {
          const found = yield* youngResult(request)
          if (Option.isSome(found)) {
            yield* refresh(request)
            const balance = yield* ledger.balance(request.project)
            ended("stored", request.key.execProgramId)
            return { report: found.value.report, balance, cachedAgeMs: found.value.ageMs }
          }
        }
        return yield* run(request)
      })

      const recall = Effect.fnUntraced(function* (project: Project, id: string) {
        const found = yield* results.find(project.projectId, id)
        if (Option.isNone(found)) return Option.none<AnsweredRun>()
        const balance = yield* ledger.balance(project)
        return Option.some<AnsweredRun>({ report: found.value, balance, cachedAgeMs: undefined })
      })

      return {
        check: programs.check,
        program: programs.meant,
        execute: (asked) =>
          traced("run", withRunLog(runLog, asked, answer(asked)), { "sibyl.run.id": asked.id, "sibyl.run.source": asked.source }),
        recall
      }
    })
  )
}
