/** Charging a run: hold the worst case, run, then post the true price or void; exactly once, whatever the client does (decision D32). */
import { Context, Effect, Exit, Layer } from "effect"
import type { CreditLimitExceeded, InsufficientCredits, Overloaded } from "../contract/errors.ts"
import { knownFailureIn } from "../contract/knownFailure.ts"
import { type Balance, type Hold, isBalance, isHold } from "../domain/credits/balance.ts"
import { type Abandonment, Leaving } from "../domain/runs/abandonment.ts"
import { chargedReport, postedOf } from "../domain/credits/credits.ts"
import type { DatedRun } from "../domain/credits/ledgerOperation.ts"
import type { UnchargedAnswer } from "../domain/runs/idempotency.ts"
import type { ExecutionReport } from "../domain/reports/executionReport.ts"
import type { Project, ResolvedProject } from "../domain/accounts/project.ts"
import { Ledger } from "../ports/ledger.ts"
import { Tickets } from "../ports/tickets/tickets.ts"
import { metricList } from "../ports/metrics/metricList.ts"
import { Metrics } from "../ports/metrics/metrics.ts"
import { Admission } from "./admission.ts"
import { makeDetachedRuns } from "./fibers/detachedRuns.ts"
import { holdLeaseMs, makeLeases } from "./leases.ts"
import { StoreDefect } from "../ports/storeDefect.ts"
import { onceReachable } from "./onceReachable.ts"
import type { CompletedRun } from "./phaseRun.ts"
import { traced } from "./fibers/traced.ts"
import { workOf } from "./fibers/workOwner.ts"
import { withinBudget } from "./tickets/ticketBudget.ts"

/** A charged run, and the project's balance after it. */
export interface SettledRun {
  readonly report: ExecutionReport
  readonly balance: Balance
}

/** The answer of a run under an idempotency key, which is kept with its charge. */
export type AnswerOf = (report: ExecutionReport) => UnchargedAnswer

type ChargeExit = Exit.Exit<SettledRun, InsufficientCredits | CreditLimitExceeded | Overloaded>

/** What goes with a charge. */
export interface ChargeExtras {
  /** Makes what is kept under the run's idempotency key. */
  readonly answerOf?: AnswerOf | undefined
  /** Called with how the run ended, once, whether or not its caller is still there. */
  readonly ended?: (exit: ChargeExit) => void
}

/** A run is charged if the ledger says what is left; one that answers nothing has perhaps charged nobody. */
const checkedBalance = (answered: Balance): Balance => {
  if (isBalance(answered)) return answered
  throw new StoreDefect("the ledger settled a run and answered no balance: granted, used, held and periodUsed, each a bigint")
}

const checkedHold = (answered: Hold): Hold => {
  if (isHold(answered)) return answered
  throw new StoreDefect("the ledger held credits and answered no hold: holdId and projectId, each a string, and amount, a bigint")
}

/** What is posted of a price above the hold is the hold: the answer says what was charged, as the stored report does. */
const withinHold = ({ amount }: Hold, run: CompletedRun): CompletedRun => {
  const posted = (report: ExecutionReport): ExecutionReport => chargedReport(report, postedOf(amount, report.cost.total))
  const report = posted(run.report)
  if (report === run.report) return run
  return {
    ...run,
    report,
    signedAgain: (timestampMs) => Effect.map(run.signedAgain(timestampMs), posted),
    signedAgainNow: (timestampMs) => {
      const again = run.signedAgainNow(timestampMs)
      return again === undefined ? undefined : posted(again)
    }
  }
}

/** A price list of an embedder whose worst case is none, or a machine that asked data proxies beyond the budget. */
const logAboveHold = ({ amount }: Hold, { cost, id }: ExecutionReport): Effect.Effect<void> =>
  Effect.annotateLogs(
    Effect.logWarning(`a run costs ${cost.total} credits, and no more than the ${amount} that were held for it is charged`),
    { part: "credits", run_id: id }
  )

/** Runs against a hold and charges for it. */
export class Credits extends Context.Tag("@sibyl/core/Credits")<
  Credits,
  {
    /**
     * Admits the run, holds `worst` while it runs, and settles the report's cost. If the caller is interrupted, the run
     * is told: a run that has begun goes on, is charged and is reported, one that still waits may fail. A run that no worker
     * took, and an internal defect, void the hold and reach the caller.
     */
    readonly charge: (
      project: ResolvedProject,
      worst: bigint,
      run: (abandoned: Abandonment) => Effect.Effect<CompletedRun, Overloaded>,
      extras?: ChargeExtras
    ) => Effect.Effect<SettledRun, InsufficientCredits | CreditLimitExceeded | Overloaded>
    readonly balance: (project: Project) => Effect.Effect<Balance>
    /** Waits until no run is left. */
    readonly settled: Effect.Effect<void>
  }
>() {
  /** Over the ledger. Runs live in the layer's own scope; closing it interrupts remaining runs and voids their holds. */
  static readonly layer = Layer.scoped(
    Credits,
    Effect.gen(function* () {
      const ledger = yield* Ledger
      const tickets = yield* Tickets
      const admission = yield* Admission
      const leases = yield* makeLeases(ledger)
      const metrics = yield* Metrics
      const runs = yield* makeDetachedRuns<SettledRun, InsufficientCredits | CreditLimitExceeded | Overloaded>()

      /**
       * A run whose timestamp does not stand is signed again, with the one that it is given: by the transaction that charges it, or, where that
       * cannot be, after one that has not charged it.
       */
      const settledRun = (
        hold: Hold,
        { chosen, report, signedAgain, signedAgainNow, storage }: CompletedRun,
        answerOf: AnswerOf | undefined,
        restore: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
      ): Effect.Effect<SettledRun> => {
        const first: DatedRun = { report, answer: answerOf?.(report) }
        let charged = first
        const dated = (timestampMs: number): DatedRun | undefined => {
          const again = timestampMs === chosen.timestampMs ? report : signedAgainNow(timestampMs)
          if (again === undefined) return undefined
          charged = again === report ? first : { report: again, answer: answerOf?.(again) }
          return charged
        }
        return onceReachable(ledger.settleChosen(hold, report, chosen, { storage, answer: first.answer, dated })).pipe(
          Effect.map((balance) => ({ report: charged.report, balance: checkedBalance(balance) })),
          Effect.catchTag("StaleTimestamp", ({ timestampMs }) =>
            Effect.gen(function* () {
              yield* leases.keep(hold) ?? Effect.void
              const again = yield* Effect.ensuring(
                restore(signedAgain(timestampMs)),
                Effect.sync(() => leases.letGo(hold))
              )
              const settled = yield* onceReachable(ledger.settle(hold, again, { storage, answer: answerOf?.(again) }))
              return { report: again, balance: checkedBalance(settled) }
            })
          )
        )
      }

      const heldRun = Effect.fnUntraced(function* (
        project: ResolvedProject,
        worst: bigint,
        run: Effect.Effect<CompletedRun, Overloaded>,
        answerOf: AnswerOf | undefined,
        restore: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
      ) {
        const hold = checkedHold(yield* traced("hold", ledger.hold(project, worst, holdLeaseMs)))
        metrics.add(metricList.creditsHeld, Number(worst))
        const renewing = leases.keep(hold)
        if (renewing !== undefined) yield* renewing
        const exit = yield* Effect.exit(restore(run))
        leases.letGo(hold)
        if (Exit.isSuccess(exit)) {
          // A hold that cannot be settled is voided; if it was settled after all, voiding does nothing.
          const ended = withinHold(hold, exit.value)
          if (ended !== exit.value) yield* logAboveHold(hold, exit.value.report)
          const settled = traced(
            "settle",
            Effect.suspend(() => settledRun(hold, ended, answerOf, restore))
          )
          return yield* Effect.catchAllCause(settled, (cause) =>
            Effect.zipRight(Effect.ignoreLogged(ledger.void(hold)), Effect.failCause(cause))
          )
        }
        // A hold that cannot be voided now returns when its lease ends.
        yield* Effect.ignoreLogged(ledger.void(hold))
        return yield* Effect.failCause(exit.cause)
      })

      const chargedRun = (
        project: ResolvedProject,
        worst: bigint,
        run: Effect.Effect<CompletedRun, Overloaded>,
        answerOf: AnswerOf | undefined
      ) => Effect.uninterruptibleMask((restore) => heldRun(project, worst, run, answerOf, restore))

      const measure = (exit: ChargeExit, ended: ChargeExtras["ended"]): void => {
        ended?.(exit)
        if (Exit.isSuccess(exit)) return metrics.add(metricList.creditsPosted, Number(exit.value.report.cost.total))
        const failure = knownFailureIn(exit.cause)
        if (failure === undefined || failure._tag === "Overloaded") return
        metrics.add(metricList.creditsRefused, 1, failure._tag)
      }

      const charge = (
        project: ResolvedProject,
        worst: bigint,
        run: (abandoned: Abandonment) => Effect.Effect<CompletedRun, Overloaded>,
        { answerOf, ended }: ChargeExtras = {}
      ) =>
        Effect.suspend(() => {
          const caller = new Leaving()
          const held = withinBudget(tickets, project.ticket, worst, chargedRun(project, worst, run(caller), answerOf))
          const left = () => caller.leave()
          const listeners = metrics.isOn ? { left, ended: (exit: ChargeExit) => measure(exit, ended) } : { left }
          return workOf(project.projectId, runs.run(admission.admit(project, held), listeners))
        })

      return { charge, balance: ledger.balance, settled: runs.settled }
    })
  )
}
