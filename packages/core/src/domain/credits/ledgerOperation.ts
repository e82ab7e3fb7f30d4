/** The operations of the ledger, their outcomes, and the changes to write, as plain values. */
import type { Balance, Hold } from "./balance.ts"
import type { Account, ChargedRun, HoldRefusal } from "./credits.ts"
import type { ExecutionReport } from "../reports/executionReport.ts"
import type { JournalEntry } from "./journalEntry.ts"
import type { StorageWrite } from "../programs/programStorage.ts"
import type { UsageLimit } from "../accounts/project.ts"
import type { ChargedAnswer, UnchargedAnswer } from "../runs/idempotency.ts"
import type { ChosenTime, StoredTime } from "../runs/storedTime.ts"
import type { HoldRecord, PeriodUsage } from "./ledgerSnapshot.ts"

/** What a server's runs have drawn of its escrow, those in flight included. */
export interface DrawnEscrow {
  readonly escrowId: string
  readonly drawn: bigint
  /**
   * Whether less may be drawn by the time that this is read: it counts charges that are written before it, because one that fails is
   * repeated. Then the escrow may still have something to give back.
   */
  readonly mayBeLess?: boolean
}

/** What is charged for a run, and the answer that is kept under its key. */
export interface DatedRun<Report extends ChargedRun = ExecutionReport> {
  readonly report: Report
  readonly answer?: UnchargedAnswer | undefined
}

/**
 * A run under the timestamp with which it is about to be charged: the chosen one, or else one that the store gives out for it, if its result
 * can be signed with that at once; `undefined` if it cannot. A transaction may be decided several times: what is charged is what the last
 * call returned.
 */
export type DateRun<Report extends ChargedRun = ExecutionReport> = (timestampMs: number) => DatedRun<Report> | undefined

/**
 * A change of one project's credits. A store may put its own form of the report in its place. An operation of a server that has an escrow
 * says how much of it is `drawn`.
 */
export type LedgerOperation<Report extends ChargedRun = ExecutionReport> = KindOfOperation<Report> & { readonly drawn?: DrawnEscrow }

type KindOfOperation<Report extends ChargedRun> =
  | { readonly kind: "grant"; readonly projectId: string; readonly credits: bigint }
  /** Takes back granted credits that are neither used nor held. Where they are missing and there are escrows, these are recalled. */
  | { readonly kind: "withdraw"; readonly projectId: string; readonly credits: bigint }
  | {
      readonly kind: "hold"
      readonly projectId: string
      readonly hold: Hold
      readonly leaseMs: number
      readonly usageLimit: UsageLimit | null
      /** If credits are missing and there are escrows, these are recalled, instead of refusing the hold. */
      readonly recalls?: boolean
    }
  | {
      readonly kind: "settle"
      readonly projectId: string
      readonly hold: Hold
      readonly report: Report
      readonly storage?: ReadonlyArray<StorageWrite>
      /** The timestamp of the result, if its server has chosen it and the store has not given it out. */
      readonly chosen?: ChosenTime | undefined
      /** Without it, a run whose timestamp does not stand is not charged. */
      readonly dated?: DateRun<Report> | undefined
      /** The answer of a run under an idempotency key. */
      readonly answer?: UnchargedAnswer | undefined
    }
  | { readonly kind: "renew"; readonly projectId: string; readonly hold: Hold; readonly leaseMs: number }
  | { readonly kind: "void"; readonly projectId: string; readonly hold: Hold }
  /**
   * Opens the escrow with this id, or adds to it: `wanted` credits or fewer, at least `hold.amount`, or nothing, if these are too many for
   * what is available, or if the escrow is not open or of another period.
   */
  | {
      readonly kind: "reserve"
      readonly projectId: string
      readonly hold: Hold
      readonly wanted: bigint
      readonly leaseMs: number
      readonly usageLimit: UsageLimit | null
    }
  /** Settles a hold that was drawn from an escrow, whose lease it extends. */
  | {
      readonly kind: "charge"
      readonly projectId: string
      readonly escrowId: string
      /** The drawn hold. */
      readonly hold: Hold
      readonly report: Report
      readonly storage: ReadonlyArray<StorageWrite>
      readonly chosen?: ChosenTime | undefined
      readonly dated?: DateRun<Report> | undefined
      readonly answer?: UnchargedAnswer | undefined
      readonly leaseMs: number
      /** The hold is not open in the memory of the server: nothing is charged, unless it was charged before. */
      readonly isRepeat: boolean
    }
  /** Gives back what is not drawn of an escrow, now and with every charge from now on; it is closed with the last one. */
  | { readonly kind: "release"; readonly projectId: string; readonly hold: Hold }
  /** Returns the holds whose lease has ended, which every other operation does first. */
  | { readonly kind: "expire"; readonly projectId: string }
  /** Returns every open hold in the snapshot, whatever its lease. */
  | { readonly kind: "voidAll"; readonly projectId: string }

/** An operation and the time at which it is applied. */
export interface TimedOperation<Report extends ChargedRun = ExecutionReport> {
  readonly operation: LedgerOperation<Report>
  readonly nowMs: number
}

/** The outcome of an operation. Only `refused`, `stale` and `breach` have changed no credits for sure. */
export type LedgerOutcome =
  | { readonly kind: "done" }
  /** A hold was renewed, or is no longer open. */
  | { readonly kind: "renewed"; readonly isOpen: boolean }
  /** A hold was settled, now or earlier. Another server may need what is not drawn of its escrow. */
  | { readonly kind: "settled"; readonly balance: Balance; readonly isRecalled: boolean }
  /** The timestamp of the result does not stand: nothing was charged, and this one was given out for it. */
  | { readonly kind: "stale"; readonly timestampMs: number }
  /** This was added to an escrow; 0 if nothing. */
  | { readonly kind: "reserved"; readonly added: bigint; readonly leaseEndMs: number }
  /** A hold or a withdrawal was refused. */
  | { readonly kind: "refused"; readonly refusal: HoldRefusal }
  /** A hold cannot be taken now, or credits withdrawn, but these escrows may give credits back. */
  | { readonly kind: "recalling"; readonly refusal: HoldRefusal; readonly escrowIds: ReadonlyArray<string> }
  /** The caller broke the contract of the ledger. */
  | { readonly kind: "breach"; readonly message: string }

/** A report with the journal entry of its charge. */
export interface PostedReport<Report extends ChargedRun = ExecutionReport> {
  readonly entry: number
  readonly report: Report
  /** The drawn hold that paid for it; `null` if it had a hold of its own. */
  readonly drawnHoldId: string | null
  /** What its execution program stored. */
  readonly storage: ReadonlyArray<StorageWrite>
  /** The answer that is kept under the key whose run it is, unless one is kept already. */
  readonly answer: ChargedAnswer | undefined
}

/** The last timestamp of a drId. */
export interface RequestTime extends StoredTime {
  readonly drId: string
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
  /** Open holds in the snapshot that stay open, with another lease, amount or escrow. */
  readonly changed: ReadonlyArray<HoldRecord>
  /** Holds in the snapshot that were posted or voided. */
  readonly resolved: ReadonlyArray<HoldRecord>
  /** The periods whose usage changed, with their new usage. */
  readonly usage: ReadonlyArray<PeriodUsage>
  readonly reports: ReadonlyArray<PostedReport<Report>>
  /** The drIds with another last timestamp. */
  readonly times: ReadonlyArray<RequestTime>
}
