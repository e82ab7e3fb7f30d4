/** Charging a run: hold the worst case, run, then post the true price or void; exactly once, whatever the client does (decision D32). */
import { Cause, Context, Effect, Exit, Layer, Option } from "effect"
import type { CreditLimitExceeded, InsufficientCredits, Overloaded } from "../contract/errors.ts"
import type { Balance, Hold } from "../domain/credits/balance.ts"
import { type Abandonment, Leaving } from "../domain/runs/abandonment.ts"
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
          Effect.map((balance) => ({ report: charged.report, balance })),
          Effect.catchTag("StaleTimestamp", ({ timestampMs }) =>
            Effect.gen(function* () {
              yield* leases.keep(hold) ?? Effect.void
              const again = yield* Effect.ensuring(
                restore(signedAgain(timestampMs)),
                Effect.sync(() => leases.letGo(hold))
              )
              return { report: again, balance: yield* onceReachable(ledger.settle(hold, again, { storage, answer: answerOf?.(again) })) }
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
        const hold = yield* traced("hold", ledger.hold(project, worst, holdLeaseMs))
        metrics.add(metricList.creditsHeld, Number(worst))
        const renewing = leases.keep(hold)
        if (renewing !== undefined) yield* renewing
        const exit = yield* Effect.exit(restore(run))
        leases.letGo(hold)
        if (Exit.isSuccess(exit)) {
          // A hold that cannot be settled is voided; if it was settled after all, voiding does nothing.
          const ended = exit.value
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
        const failure = Cause.failureOption(exit.cause)
        if (Option.isNone(failure) || failure.value._tag === "Overloaded") return
        metrics.add(metricList.creditsRefused, 1, failure.value._tag)
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
