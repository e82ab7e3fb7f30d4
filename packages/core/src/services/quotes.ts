/** What a request would cost: it is checked completely, but nothing runs and nothing is charged. */
import { Clock, Context, Effect, Layer, Option } from "effect"
import { InvalidParameter, type OutsideTicket, type ProgramNotAllowed, type ProgramNotFound } from "../contract/errors.ts"
import { remainingOf } from "../domain/credits/balance.ts"
import { holdRefusal } from "../domain/credits/credits.ts"
import { dataRequestIdOf } from "../domain/protocol/dataRequestId.ts"
import { dataRequestOf } from "../domain/protocol/dataRequestOf.ts"
import type { Cost } from "../domain/reports/executionReport.ts"
import type { ResolvedProject } from "../domain/accounts/project.ts"
import { Ledger } from "../ports/ledger.ts"
import { type Phase, ProgramRuntime } from "../ports/programRuntime.ts"
import { ProgramNames } from "../ports/programNames.ts"
import { ProgramStore } from "../ports/programStore.ts"
import { ResultStore } from "../ports/resultStore.ts"
import { Execution } from "./execution.ts"
import { Pricing } from "./phases/pricing.ts"
import { proxyBudgetOf } from "./programs/proxyBudget.ts"
import { type AskedKey, resolvePrograms } from "./programs/programReferences.ts"
import { Options } from "./settings/serviceOptions.ts"

/** The price of a request before it runs. Credits. */
export interface Quote {
  readonly drId: string
  /** Its total is what a run would hold. */
  readonly worst: Cost
  /** The least gas per ms of worker time that is charged, within the gas limit, when a phase reaches its wall clock. */
  readonly gasPerWorkerMs: bigint
  /** What this request cost the last time it ran; `undefined` if it never ran. */
  readonly typical: bigint | undefined
  readonly remaining: bigint
  /** What is left of the usage limit in this period; `undefined` if there is no limit. */
  readonly remainingInPeriod: bigint | undefined
  /** Whether the hold would be granted now. */
  readonly affordable: boolean
}

/** Why there is no price: the run would be refused, or a phase could not start its program. */
export type QuoteRefused = OutsideTicket | ProgramNotAllowed | ProgramNotFound | InvalidParameter

/** Quotes requests. */
export class Quotes extends Context.Tag("@sibyl/core/Quotes")<
  Quotes,
  { readonly quote: (project: ResolvedProject, key: AskedKey) => Effect.Effect<Quote, QuoteRefused> }
>() {
  /** Over the price list, the stores and the runtime's validation of programs. */
  static readonly layer = Layer.effect(
    Quotes,
    Effect.gen(function* () {
      const execution = yield* Execution
      const runtime = yield* ProgramRuntime
      const names = yield* ProgramNames
      const programs = yield* ProgramStore
      const results = yield* ResultStore
      const ledger = yield* Ledger
      const pricing = yield* Pricing
      const options = yield* Options

      const fits = Effect.fn("Quotes.fits")(function* (project: ResolvedProject, phase: Phase, programId: string) {
        const program = yield* programs.get(programId)
        if (Option.isNone(program) || runtime.validate === undefined) return
        const why = yield* runtime.validate({ phase, programId, program: program.value, limits: project.limits })
        if (why !== undefined) {
          const rule = `names a program that this phase cannot start: ${why}`
          return yield* InvalidParameter.because(`${phase}ProgramId`, rule)
        }
      })

      const quote = Effect.fn("Quotes.quote")(function* (project: ResolvedProject, asked: AskedKey) {
        const key = yield* resolvePrograms(names, project, asked)
        yield* execution.check(project, key)
        yield* fits(project, "exec", key.execProgramId)
        yield* fits(project, "tally", key.tallyProgramId)
        const { proxyBudgetCredits } = project.limits
        const budget = Option.match(yield* programs.get(key.execProgramId), {
          onNone: () => proxyBudgetCredits,
          onSome: (program) => proxyBudgetOf(runtime, program, proxyBudgetCredits)
        })
        const worst = pricing.worst(project.gasLimits, budget)
        const last = yield* results.last(project.projectId, key, "last")
        const balance = yield* ledger.balance(project)
        const { usageLimit } = project
        return {
          drId: dataRequestIdOf(dataRequestOf(key, project.gasLimits, options)),
          worst,
          gasPerWorkerMs: pricing.gasPerWorkerMs,
          typical: Option.getOrUndefined(last)?.cost.total,
          remaining: remainingOf(balance),
          remainingInPeriod: usageLimit === null ? undefined : notBelowZero(usageLimit.credits - balance.periodUsed),
          affordable: holdRefusal(balance, usageLimit, worst.total, yield* Clock.currentTimeMillis) === undefined
        }
      })

      return { quote }
    })
  )
}

/** A limit that was lowered in mid-period may already be exceeded. */
const notBelowZero = (credits: bigint): bigint => (credits < 0n ? 0n : credits)
