/** Executes a request up to the signed, charged and stored result; REST, `feed.execute` and feeds all use this. */
import { Cause, Context, Effect, Exit, Layer, Option } from "effect"
import {
  type CreditLimitExceeded,
  type InsufficientCredits,
  type Overloaded,
  type OutsideTicket,
  type ProgramNotAllowed,
  ProgramNotFound
} from "../contract/errors.ts"
import { knownFailureIn } from "../contract/knownFailure.ts"
import { dataRequestOf } from "../domain/protocol/dataRequestOf.ts"
import type { Abandonment } from "../domain/runs/abandonment.ts"
import type { ExecutionReport } from "../domain/reports/executionReport.ts"
import type { Project, ResolvedProject } from "../domain/accounts/project.ts"
import type { Limits } from "../domain/settings/limits.ts"
import { RecentMap } from "../domain/encoding/recentMap.ts"
import { Entropy, timeOrderedUuidOf } from "../ports/entropy.ts"
import { Freshness } from "../ports/freshness.ts"
import { Ledger } from "../ports/ledger.ts"
import { metricList } from "../ports/metrics/metricList.ts"
import { Metrics } from "../ports/metrics/metrics.ts"
import { ProgramNames } from "../ports/programNames.ts"
import { ProgramRuntime } from "../ports/programRuntime.ts"
import { ProgramStore } from "../ports/programStore.ts"
import { type LastResultMode, ResultStore } from "../ports/resultStore.ts"
import { checkAllowed, refusalOf } from "./allowList.ts"
import { type AnswerOf, Credits, type SettledRun } from "./credits.ts"
import { storeUnavailableIn } from "../ports/storeUnavailable.ts"
import { PhaseRun } from "./phaseRun.ts"
import { Pricing } from "./pricing.ts"
import { proxyBudgetOf } from "./proxyBudget.ts"
import { type AskedKey, hasNames, type NamesOfPrograms, resolveProgram, resolvePrograms } from "./programReferences.ts"
import { ResultAges } from "./resultAges.ts"
import { Options } from "./serviceOptions.ts"
import { type LoggedRun, RunLog } from "./logs/runLog.ts"
import { SettingsMemory } from "./settingsMemory.ts"
import { onEnd } from "./fibers/plainEnds.ts"
import { noteOnSpan, traced } from "./fibers/traced.ts"

/** Program names whose meaning is remembered. */
const namesKept = 1_024

/** Programs are remembered up to twice this size together, the most recent ones. */
const programBytesKept = 16 * 2 ** 20

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
export type ExecutionRefused = OutsideTicket | ProgramNotAllowed | ProgramNotFound | InsufficientCredits | CreditLimitExceeded | Overloaded

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

/** A program that a project may run. */
export interface DeployedProgram {
  readonly programId: string
  readonly bytes: Uint8Array
}

/** Executes Oracle Programs. */
export class Execution extends Context.Tag("@sibyl/core/Execution")<
  Execution,
  {
    readonly execute: (request: ExecutionRequest) => Effect.Effect<AnsweredRun, ExecutionRefused>
    /** The finished run with this id, and the current balance. */
    readonly recall: (project: Project, id: string) => Effect.Effect<Option.Option<AnsweredRun>>
    /** Checks that the project may run these programs and that they are deployed; a feed does so before it starts. */
    readonly check: (project: Project, key: AskedKey) => Effect.Effect<void, OutsideTicket | ProgramNotAllowed | ProgramNotFound>
    /** The program that this id or name means for the project, under the same rule. */
    readonly program: (
      project: Project,
      reference: string
    ) => Effect.Effect<DeployedProgram, OutsideTicket | ProgramNotAllowed | ProgramNotFound>
  }
>() {
  /** Over the stores, the credits and the phases. */
  static readonly layer = Layer.effect(
    Execution,
    Effect.gen(function* () {
      const storedNames = yield* ProgramNames
      const programs = yield* ProgramStore
      const freshness = yield* Freshness
      const results = yield* ResultStore
      const ledger = yield* Ledger
      const credits = yield* Credits
      const phases = yield* PhaseRun
      const pricing = yield* Pricing
      const runtime = yield* ProgramRuntime
      const options = yield* Options
      const ages = yield* ResultAges
      const newId = timeOrderedUuidOf(yield* Entropy)
      const runLog = yield* RunLog
      const metrics = yield* Metrics
      const count = (outcome: string, programId: string): void => metrics.add(metricList.runs, 1, outcome, programId)

      const knownNames = new SettingsMemory<Option.Option<string>>(freshness, new RecentMap(namesKept))
      const names: NamesOfPrograms = {
        find: (projectId, name) => knownNames.around(`${projectId}/${name}`, () => storedNames.find(projectId, name))
      }

      // By the hash of their bytes, and no store forgets one: nothing can change about them.
      const knownPrograms = new RecentMap<Uint8Array>(programBytesKept, ({ length }) => length)
      const program = (programId: string): Effect.Effect<Uint8Array, ProgramNotFound> =>
        Effect.suspend(() => {
          const known = knownPrograms.get(programId)
          if (known !== undefined) return Effect.succeed(known)
          return Effect.flatMap(programs.get(programId), (found) => {
            if (Option.isNone(found)) {
              return Effect.fail(new ProgramNotFound({ message: `no program is deployed under ${programId}`, details: { programId } }))
            }
            knownPrograms.set(programId, found.value)
            return Effect.succeed(found.value)
          })
        })

      /** Refused before there was a run. A program that nobody has deployed, or may name, would be a label of the client's making. */
      const refused = ({ _tag }: OutsideTicket | ProgramNotAllowed | ProgramNotFound) => Effect.sync(() => count(_tag, "none"))

      const run = Effect.fnUntraced(function* (request: ExecutionRequest) {
        const { injectLastResult, key, project } = request
        const execProgram = knownPrograms.get(key.execProgramId) ?? (yield* Effect.tapError(program(key.execProgramId), refused))
        const tallyProgram =
          key.tallyProgramId === key.execProgramId ? execProgram : yield* Effect.tapError(program(key.tallyProgramId), refused)
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
          ended: (exit) => count(runOutcomeOf(exit), key.execProgramId)
        })
        const { cost, dataResult } = charged.report
        yield* noteOnSpan(() => ({
          "sibyl.program.id": key.execProgramId,
          "sibyl.run.exit_code": dataResult.exitCode,
          "sibyl.run.credits": String(cost.total)
        }))
        return { report: charged.report, balance: charged.balance, cachedAgeMs: undefined }
      })

      const remembered = Effect.fnUntraced(function* (request: ExecutionRequest) {
        const found = yield* results.last(request.project.projectId, request.key, "success")
        if (Option.isNone(found)) return Option.none()
        const ageMs = yield* ages.ageMs(found.value)
        const young = request.maxAgeSeconds === undefined || ageMs < request.maxAgeSeconds * 1000
        return young ? Option.some({ report: found.value, ageMs }) : Option.none()
      })

      /** Runs again for the next reader; over WebSocket a stored result stands in place of a run. A refusal (no credits, overload) only stops the refresh. */
      const refresh = (request: ExecutionRequest) =>
        options.lastResultRefresh === "background" && request.source === "rest"
          ? Effect.forkDaemon(
              Effect.catchAllCause(
                Effect.flatMap(newId, (id) => run({ ...request, id, answerOf: undefined })),
                () => Effect.void
              )
            )
          : Effect.void

      const answer = Effect.fnUntraced(function* (asked: ExecutionRequest) {
        const key = hasNames(asked.key) ? yield* Effect.tapError(resolvePrograms(names, asked.project, asked.key), refused) : asked.key
        const request = key === asked.key ? asked : { ...asked, key }
        const notAllowed = refusalOf(request.project, key)
        if (notAllowed !== undefined) return yield* Effect.tapError(notAllowed, refused)
        if (request.returnLastResult) {
          const found = yield* remembered(request)
          if (Option.isSome(found)) {
            yield* refresh(request)
            const balance = yield* ledger.balance(request.project)
            count("stored", request.key.execProgramId)
            return { report: found.value.report, balance, cachedAgeMs: found.value.ageMs }
          }
        }
        return yield* run(request)
      })

      const logged = (asked: ExecutionRequest) => {
        if (!runLog.isOn) return answer(asked)
        const { id, key, project, source } = asked
        return Effect.withFiberRuntime<AnsweredRun, ExecutionRefused>((fiber) =>
          onEnd(answer(asked), (exit) => {
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
      }

      const recall = Effect.fnUntraced(function* (project: Project, id: string) {
        const found = yield* results.find(project.projectId, id)
        if (Option.isNone(found)) return Option.none<AnsweredRun>()
        const balance = yield* ledger.balance(project)
        return Option.some<AnsweredRun>({ report: found.value, balance, cachedAgeMs: undefined })
      })

      const check = Effect.fnUntraced(function* (project: Project, asked: AskedKey) {
        const key = yield* resolvePrograms(names, project, asked)
        yield* checkAllowed(project, key)
        yield* program(key.execProgramId)
        yield* program(key.tallyProgramId)
      })

      const deployed = Effect.fnUntraced(function* (project: Project, reference: string) {
        const programId = yield* resolveProgram(names, project, reference)
        yield* checkAllowed(project, { execProgramId: programId, tallyProgramId: programId })
        return { programId, bytes: yield* program(programId) }
      })

      return {
        check,
        program: deployed,
        execute: (asked) => traced("run", logged(asked), { "sibyl.run.id": asked.id, "sibyl.run.source": asked.source }),
        recall
      }
    })
  )
}
