/** One execution from request to signed, charged and stored result; REST, `feed.execute` and feeds all come through here. */
import { Context, Effect, Layer, Option } from "effect"
import {
  type CreditLimitExceeded,
  type InsufficientCredits,
  type Overloaded,
  type ProgramNotAllowed,
  ProgramNotFound
} from "../contract/errors.ts"
import type { Balance } from "../domain/credits/balance.ts"
import { dataRequestOf } from "../domain/protocol/dataRequestOf.ts"
import type { ExecutionReport } from "../domain/reports/executionReport.ts"
import type { Project } from "../domain/accounts/project.ts"
import { Entropy, timeOrderedUuidOf } from "../ports/entropy.ts"
import { Ledger } from "../ports/ledger.ts"
import { ProgramNames } from "../ports/programNames.ts"
import { ProgramRuntime } from "../ports/programRuntime.ts"
import { ProgramStore } from "../ports/programStore.ts"
import { type LastResultMode, ResultStore } from "../ports/resultStore.ts"
import { checkAllowed } from "./allowList.ts"
import { Credits } from "./credits.ts"
import { PhaseRun } from "./phaseRun.ts"
import { Pricing } from "./pricing.ts"
import { proxyBudgetOf } from "./proxyBudget.ts"
import { type AskedKey, resolvePrograms } from "./programReferences.ts"
import { ResultAges } from "./resultAges.ts"
import { Options } from "./serviceOptions.ts"

/** What a client asks for, checked and decoded. */
export interface ExecutionCommand {
  /** The id of the run, a UUID. */
  readonly id: string
  readonly project: Project
  readonly source: ExecutionReport["source"]
  readonly key: AskedKey
  readonly injectLastResult: LastResultMode | "none"
  /** Answer the last successful result instead of running, when there is one and it is young enough. */
  readonly returnLastResult: boolean
  readonly maxAgeSeconds: number | undefined
}

/** A finished or remembered execution. `cachedAgeMs` is set when nothing ran. */
export interface Executed {
  readonly report: ExecutionReport
  readonly balance: Balance
  readonly cachedAgeMs: number | undefined
}

/** Everything that can keep an execution from starting. */
export type ExecutionRefused =
  | ProgramNotAllowed
  | ProgramNotFound
  | InsufficientCredits
  | CreditLimitExceeded
  | Overloaded

/** Executes Oracle Programs. */
export class Execution extends Context.Tag("@sibyl/core/Execution")<
  Execution,
  {
    readonly execute: (command: ExecutionCommand) => Effect.Effect<Executed, ExecutionRefused>
    /** The finished run of this id, with the balance of now. */
    readonly recall: (project: Project, id: string) => Effect.Effect<Option.Option<Executed>>
    /** Whether the project may run these programs and they are there; a feed asks before it starts. */
    readonly check: (project: Project, key: AskedKey) => Effect.Effect<void, ProgramNotAllowed | ProgramNotFound>
  }
>() {
  /** Over the stores, the credits and the phases. */
  static readonly layer = Layer.effect(
    Execution,
    Effect.gen(function*() {
      const names = yield* ProgramNames
      const programs = yield* ProgramStore
      const results = yield* ResultStore
      const ledger = yield* Ledger
      const credits = yield* Credits
      const phases = yield* PhaseRun
      const pricing = yield* Pricing
      const runtime = yield* ProgramRuntime
      const options = yield* Options
      const ages = yield* ResultAges
      const newId = timeOrderedUuidOf(yield* Entropy)

      const program = (programId: string) =>
        Effect.flatMap(programs.get(programId), (found) =>
          Effect.mapError(found, () =>
            new ProgramNotFound({ message: `no program is deployed under ${programId}`, details: { programId } })))

      const run = Effect.fn("Execution.run")(function*(command: ExecutionCommand) {
        const { injectLastResult, key, project } = command
        const execProgram = yield* program(key.execProgramId)
        const tallyProgram = key.tallyProgramId === key.execProgramId ? execProgram : yield* program(key.tallyProgramId)
        const request = dataRequestOf(key, project.gasLimits, options)
        const allowed = { ...options.limits, ...project.limits }
        const proxyBudgetCredits = proxyBudgetOf(runtime, execProgram, allowed.proxyBudgetCredits)
        const limits = { ...allowed, proxyBudgetCredits }
        const last = injectLastResult === "none"
          ? Option.none<ExecutionReport>()
          : yield* results.last(project.projectId, key, injectLastResult)
        const phased = phases.run({
          id: command.id,
          projectId: project.projectId,
          source: command.source,
          request,
          execProgram,
          tallyProgram,
          limits,
          last: Option.getOrUndefined(last)
        })
        const worst = pricing.worst(project.gasLimits, proxyBudgetCredits)
        const charged = yield* credits.charge(project, worst.total, phased)
        return { ...charged, cachedAgeMs: undefined }
      })

      const remembered = Effect.fn("Execution.remembered")(function*(command: ExecutionCommand) {
        const found = yield* results.last(command.project.projectId, command.key, "success")
        if (Option.isNone(found)) return Option.none()
        const ageMs = yield* ages.ageMs(found.value)
        const young = command.maxAgeSeconds === undefined || ageMs < command.maxAgeSeconds * 1000
        return young ? Option.some({ report: found.value, ageMs }) : Option.none()
      })

      /** Runs again for the next reader; what stops it (no credits, overload) stops only the refresh. */
      const refresh = (command: ExecutionCommand) =>
        options.lastResultRefresh === "background"
          ? Effect.forkDaemon(
            Effect.catchAllCause(Effect.flatMap(newId, (id) => run({ ...command, id })), () => Effect.void)
          )
          : Effect.void

      const execute = Effect.fn("Execution.execute")(function*(asked: ExecutionCommand) {
        const command = { ...asked, key: yield* resolvePrograms(names, asked.project, asked.key) }
        yield* checkAllowed(command.project, command.key)
        if (command.returnLastResult) {
          const found = yield* remembered(command)
          if (Option.isSome(found)) {
            yield* refresh(command)
            const balance = yield* ledger.balance(command.project)
            return { report: found.value.report, balance, cachedAgeMs: found.value.ageMs }
          }
        }
        return yield* run(command)
      })

      const recall = Effect.fn("Execution.recall")(function*(project: Project, id: string) {
        const found = yield* results.find(project.projectId, id)
        if (Option.isNone(found)) return Option.none<Executed>()
        const balance = yield* ledger.balance(project)
        return Option.some<Executed>({ report: found.value, balance, cachedAgeMs: undefined })
      })

      const check = Effect.fn("Execution.check")(function*(project: Project, asked: AskedKey) {
        const key = yield* resolvePrograms(names, project, asked)
        yield* checkAllowed(project, key)
        yield* program(key.execProgramId)
        yield* program(key.tallyProgramId)
      })

      return { check, execute, recall }
    })
  )
}
