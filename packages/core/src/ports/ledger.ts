/** The port to the credits: hold before a run, settle or void after it, once (decision D32). */
import { Context, type Effect } from "effect"
import type { CreditLimitExceeded, InsufficientCredits } from "../contract/errors.ts"
import type { Balance, Hold } from "../domain/balance.ts"
import type { ExecutionReport } from "../domain/executionReport.ts"
import type { Project } from "../domain/project.ts"

/** Keeps every project's credits. Each method is one durable transaction. */
export class Ledger extends Context.Tag("@sibyl/core/Ledger")<
  Ledger,
  {
    /** Puts `amount` aside. A hold that is neither settled nor voided within `leaseMs` is voided. */
    readonly hold: (
      project: Project,
      amount: bigint,
      leaseMs: number
    ) => Effect.Effect<Hold, InsufficientCredits | CreditLimitExceeded>
    /**
     * Posts `report.cost.total` (never above the hold), returns the rest and appends the report, all or nothing.
     * Settling the same hold again changes nothing and answers the balance.
     */
    readonly settle: (hold: Hold, report: ExecutionReport) => Effect.Effect<Balance>
    /** Returns the whole hold. Voiding a hold that is resolved changes nothing. */
    readonly void: (hold: Hold) => Effect.Effect<void>
    readonly balance: (project: Project) => Effect.Effect<Balance>
  }
>() {}
