/** The port to the credits: hold before a run, renew while it lives, settle or void after it, once (decision D32). */
import { Context, type Effect } from "effect"
import type { CreditLimitExceeded, InsufficientCredits } from "../contract/errors.ts"
import type { Balance, Hold } from "../domain/credits/balance.ts"
import type { ExecutionReport } from "../domain/reports/executionReport.ts"
import type { StorageWrite } from "../domain/programs/programStorage.ts"
import type { Project } from "../domain/accounts/project.ts"

/** Keeps every project's credits. Each method is one durable transaction. Unknown projects and holds are a `StoreDefect`. */
export class Ledger extends Context.Tag("@sibyl/core/Ledger")<
  Ledger,
  {
    /**
     * Puts `amount` aside. A hold that is neither settled nor voided before `leaseMs` have passed is void from then on,
     * whether or not anyone has looked. It counts to the usage limit of the period in which it was taken, its price too.
     */
    readonly hold: (project: Project, amount: bigint, leaseMs: number) => Effect.Effect<Hold, InsufficientCredits | CreditLimitExceeded>
    /**
     * Lets the lease of an open hold end `leaseMs` from now, where that is later than it would. Answers whether the hold is
     * still open: one that was settled or voided, or whose lease is over, stays what it is.
     */
    readonly renew: (hold: Hold, leaseMs: number) => Effect.Effect<boolean>
    /**
     * Posts `report.cost.total` (never above the hold), returns the rest and appends the report, all or nothing.
     * Settling the same hold again changes nothing and answers the balance. A hold that was voided, or whose lease is
     * over, can no longer be settled: that is a defect, nothing is posted and nothing appended. So it is when the
     * project has a report of this id already: a run is charged once, however many holds were taken for it. The kept
     * report's `cost.total` is what was posted. `storage` is what the run's execution program keeps from now on, in its order
     * (decision D44); it is written with the report or not at all.
     */
    readonly settle: (hold: Hold, report: ExecutionReport, storage?: ReadonlyArray<StorageWrite>) => Effect.Effect<Balance>
    /** Returns the whole hold. Voiding a hold that is resolved changes nothing. */
    readonly void: (hold: Hold) => Effect.Effect<void>
    readonly balance: (project: Project) => Effect.Effect<Balance>
  }
>() {}
