/** The operations of the ledger, their outcomes, and the changes to write, as plain values. */
import type { Balance, Hold } from "./balance.ts"
import type { Account, ChargedRun, HoldRefusal } from "./credits.ts"
import type { ExecutionReport } from "../reports/executionReport.ts"
import type { JournalEntry } from "./journalEntry.ts"
import type { StorageWrite } from "../programs/programStorage.ts"
import type { UsageLimit } from "../accounts/project.ts"
import type { HoldRecord, PeriodUsage } from "./ledgerSnapshot.ts"

/** A change of one project's credits. A store may put its own form of the report in its place. */
export type LedgerOperation<Report extends ChargedRun = ExecutionReport> =
  | { readonly kind: "grant"; readonly projectId: string; readonly credits: bigint }
  | {
      readonly kind: "hold"
      readonly projectId: string
      readonly hold: Hold
      readonly leaseMs: number
      readonly usageLimit: UsageLimit | null
    }
  | {
      readonly kind: "settle"
      readonly projectId: string
      readonly hold: Hold
      readonly report: Report
      readonly storage?: ReadonlyArray<StorageWrite>
    }
  | { readonly kind: "renew"; readonly projectId: string; readonly hold: Hold; readonly leaseMs: number }
  | { readonly kind: "void"; readonly projectId: string; readonly hold: Hold }
  /** Returns the holds whose lease has ended, which every other operation does first. */
  | { readonly kind: "expire"; readonly projectId: string }
  /** Returns every open hold in the snapshot, whatever its lease. */
  | { readonly kind: "voidAll"; readonly projectId: string }

/** An operation and the time at which it is applied. */
export interface TimedOperation<Report extends ChargedRun = ExecutionReport> {
  readonly operation: LedgerOperation<Report>
  readonly nowMs: number
}

/** The outcome of an operation. Only `done`, `renewed` and `settled` may have changed anything. */
export type LedgerOutcome =
  | { readonly kind: "done" }
  /** A hold was renewed, or is no longer open. */
  | { readonly kind: "renewed"; readonly isOpen: boolean }
  /** A hold was settled, now or earlier. */
  | { readonly kind: "settled"; readonly balance: Balance }
  /** A hold was refused. */
  | { readonly kind: "refused"; readonly refusal: HoldRefusal }
  /** The caller broke the contract of the ledger. */
  | { readonly kind: "breach"; readonly message: string }

/** A report with the journal entry of its charge. */
export interface PostedReport<Report extends ChargedRun = ExecutionReport> {
  readonly entry: number
  readonly report: Report
  /** What its execution program stored. */
  readonly storage: ReadonlyArray<StorageWrite>
}

/** What a transaction writes for one project, atomically. */
export interface LedgerChanges<Report extends ChargedRun = ExecutionReport> {
  readonly projectId: string
  /** The new account. */
  readonly account: Account
  readonly lastEntry: number
  /** New journal entries, in order. */
  readonly entries: ReadonlyArray<JournalEntry>
  /** New holds, in their final state. */
  readonly taken: ReadonlyArray<HoldRecord>
  /** Open holds in the snapshot whose lease was extended. */
  readonly renewed: ReadonlyArray<HoldRecord>
  /** Holds in the snapshot that were posted or voided. */
  readonly resolved: ReadonlyArray<HoldRecord>
  /** The periods whose usage changed, with their new usage. */
  readonly usage: ReadonlyArray<PeriodUsage>
  readonly reports: ReadonlyArray<PostedReport<Report>>
}
