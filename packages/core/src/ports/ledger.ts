/** The port to the credits: hold before a run, renew during it, settle or void after it, once (decision D32). */
import { Context, Data, type Effect } from "effect"
import type { CreditLimitExceeded, InsufficientCredits } from "../contract/errors.ts"
import type { Balance, Hold } from "../domain/credits/balance.ts"
import type { DateRun } from "../domain/credits/ledgerOperation.ts"
import type { ExecutionReport } from "../domain/reports/executionReport.ts"
import type { StorageWrite } from "../domain/programs/programStorage.ts"
import type { UnchargedAnswer } from "../domain/runs/idempotency.ts"
import type { ChosenTime } from "../domain/runs/storedTime.ts"
import type { Project } from "../domain/accounts/project.ts"

/**
 * Another server may have given out the timestamp of a result. The run was not charged: its result is to be signed again, with a timestamp
 * that is its own.
 */
export class StaleTimestamp extends Data.TaggedError("StaleTimestamp")<{
  /** Milliseconds since the Unix epoch. */
  readonly timestampMs: number
}> {}

/** What is written in the transaction that charges a run. */
export interface AlsoWritten {
  /** What the run's execution program writes, in order (decision D44). */
  readonly storage?: ReadonlyArray<StorageWrite> | undefined
  /** The answer under the idempotency key that is claimed for the run with the report's id, unless one is kept already (decision D34). */
  readonly answer?: UnchargedAnswer | undefined
}

/** What is written with the charge of a run whose server has chosen its timestamp. */
export interface AlsoDated extends AlsoWritten {
  /**
   * Set if the result can be signed at once with another timestamp. A store that decides in this thread then charges the run under the one
   * that it gives out, in the same transaction; another one does not call it.
   */
  readonly dated?: DateRun | undefined
}

/**
 * Stores every project's credits. What was settled is durable before it is answered; a hold or its void may be in memory where a crash
 * would void it anyway. A hold is used with the ledger that gave it. Unknown projects and holds are a `StoreDefect`.
 */
export class Ledger extends Context.Tag("@sibyl/core/Ledger")<
  Ledger,
  {
    /**
     * Reserves `amount`. A hold that is neither settled nor voided within `leaseMs` is void from then on, even if no operation has noticed.
     * The hold and its price count towards the usage limit of the period in which the hold was taken.
     */
    readonly hold: (project: Project, amount: bigint, leaseMs: number) => Effect.Effect<Hold, InsufficientCredits | CreditLimitExceeded>
    /**
     * Extends the lease of an open hold to `leaseMs` from now, unless it ends later already. Returns whether the hold is still open; one
     * that was settled or voided, or whose lease has ended, does not change.
     */
    readonly renew: (hold: Hold, leaseMs: number) => Effect.Effect<boolean>
    /**
     * Posts `report.cost.total` (at most the hold), returns the rest and appends the report, atomically. Settling the same hold again
     * changes nothing and returns the balance. A hold that was voided, or whose lease has ended, cannot be settled: that is a defect, and
     * nothing is written. The same applies if the project already has a report with this id: a run is charged once, however many holds were
     * taken for it. The stored report's `cost.total` is what was posted. What is `also` written is written in the same transaction. The
     * timestamp of the result is not looked at: it must be one that the store has given out.
     */
    readonly settle: (hold: Hold, report: ExecutionReport, also?: AlsoWritten) => Effect.Effect<Balance>
    /**
     * Settles like `settle`, with a timestamp that the server has chosen: later than all that it has chosen for this project and drId. If
     * other servers have given out a later one, the store gives out one for this run alone, later than all before (decision D22). The run is
     * charged under that if it is `dated` at once; what is charged is what the last call of `dated` returned. If not, nothing is charged, and the
     * failure has the timestamp: the result is to be signed with it, and then settled.
     */
    readonly settleChosen: (
      hold: Hold,
      report: ExecutionReport,
      chosen: ChosenTime,
      also?: AlsoDated
    ) => Effect.Effect<Balance, StaleTimestamp>
    /** Returns the whole hold. Voiding a resolved hold changes nothing. */
    readonly void: (hold: Hold) => Effect.Effect<void>
    readonly balance: (project: Project) => Effect.Effect<Balance>
  }
>() {}
