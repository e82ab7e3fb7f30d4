/** What can be asked of the ledger, what comes of it and what is then to be written: plain values. */
import type { Balance, Hold } from "./balance.ts"
import type { Account, HoldRefusal } from "./credits.ts"
import type { ExecutionReport } from "../reports/executionReport.ts"
import type { JournalEntry } from "./journalEntry.ts"
import type { StorageWrite } from "../programs/programStorage.ts"
import type { UsageLimit } from "../accounts/project.ts"
import type { HoldRecord, PeriodUsage } from "./ledgerSnapshot.ts"

/** A change of one project's credits. */
export type LedgerOperation =
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
      readonly report: ExecutionReport
      readonly storage?: ReadonlyArray<StorageWrite>
    }
  | { readonly kind: "renew"; readonly projectId: string; readonly hold: Hold; readonly leaseMs: number }
  | { readonly kind: "void"; readonly projectId: string; readonly hold: Hold }
  /** Returns the holds whose lease is over, which every other operation does first. */
  | { readonly kind: "expire"; readonly projectId: string }
  /** Returns every open hold of the snapshot, whatever its lease. */
  | { readonly kind: "voidAll"; readonly projectId: string }

/** An operation and the time at which it is done. */
export interface TimedOperation {
  readonly operation: LedgerOperation
  readonly nowMs: number
}

/** What an operation came to. Only `done`, `renewed` and `settled` may have changed anything. */
export type LedgerOutcome =
  | { readonly kind: "done" }
  /** A hold was renewed, or is no longer open. */
  | { readonly kind: "renewed"; readonly isOpen: boolean }
  /** A hold was settled, now or before. */
  | { readonly kind: "settled"; readonly balance: Balance }
  /** A hold was not taken. */
  | { readonly kind: "refused"; readonly refusal: HoldRefusal }
  /** The caller broke the contract of the ledger. */
  | { readonly kind: "breach"; readonly message: string }

/** A report under the journal entry of its charge. */
export interface PostedReport {
  readonly entry: number
  readonly report: ExecutionReport
  /** What its execution program keeps from now on. */
  readonly storage: ReadonlyArray<StorageWrite>
}

/** What a transaction writes for one project: all of it or nothing. */
export interface LedgerChanges {
  readonly projectId: string
  /** The account as it is from now on. */
  readonly account: Account
  readonly lastEntry: number
  /** New lines of the journal, in their order. */
  readonly entries: ReadonlyArray<JournalEntry>
  /** Holds that are new, as they are in the end. */
  readonly taken: ReadonlyArray<HoldRecord>
  /** Open holds of the snapshot whose lease ends later than it did. */
  readonly renewed: ReadonlyArray<HoldRecord>
  /** Holds of the snapshot that were posted or voided. */
  readonly resolved: ReadonlyArray<HoldRecord>
  /** The periods whose usage changed, as they are from now on. */
  readonly usage: ReadonlyArray<PeriodUsage>
  readonly reports: ReadonlyArray<PostedReport>
}
