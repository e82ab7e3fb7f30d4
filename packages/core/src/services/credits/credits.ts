/** Charging a run: hold the worst case, run, then post the true price or void; exactly once, whatever the client does (decision D32). */
import { Context, Effect, Exit, Layer } from "effect"
import type { CreditLimitExceeded, InsufficientCredits, Overloaded } from "../../contract/errors.ts"
import { knownFailureIn } from "../../contract/knownFailure.ts"
import type { Balance } from "../../domain/credits/balance.ts"
import { type Abandonment, Leaving } from "../../domain/runs/abandonment.ts"
import type { Project, ResolvedProject } from "../../domain/accounts/project.ts"
import { Ledger } from "../../ports/ledger.ts"
import { Tickets } from "../../ports/tickets/tickets.ts"
import { metricList } from "../../ports/metrics/metricList.ts"
import { Metrics } from "../../ports/metrics/metrics.ts"
import { Admission } from "../admission/admission.ts"
import { makeDetachedRuns } from "../fibers/detachedRuns.ts"
import { heldRun } from "./heldRun.ts"
import { makeLeases } from "./leases.ts"
import type { AnswerOf, SettledRun } from "./settledRun.ts"
import type { CompletedRun } from "../phases/phaseRun.ts"
import { workOf } from "../fibers/workOwner.ts"
import { withinBudget } from "../tickets/ticketBudget.ts"

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
      const metrics = yield* Metrics
      const parts = { ledger, leases: yield* makeLeases(ledger), metrics }
      const runs = yield* makeDetachedRuns<SettledRun, InsufficientCredits | CreditLimitExceeded | Overloaded>()

      const chargedRun = (
        project: ResolvedProject,
        worst: bigint,
        run: Effect.Effect<CompletedRun, Overloaded>,
        answerOf: AnswerOf | undefined
      ) => Effect.uninterruptibleMask((restore) => heldRun(parts, project, worst, run, answerOf, restore))

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
