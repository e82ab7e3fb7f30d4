/** A project's books as they are stored: the journal, and the tables that must agree with it. */
import type { EntryKind } from "@sibyl/core"

/** One line of the journal. */
export interface JournalLine {
  readonly entry: number
  readonly kind: EntryKind
  readonly credits: bigint
  readonly holdId: string | null
  /** When it was written, ms since the Unix epoch; it matters only where old reports may be gone. */
  readonly atMs?: number
}

/** One hold as its table has it. */
export interface StoredHold {
  readonly holdId: string
  readonly amount: bigint
  readonly state: "held" | "posted" | "voided"
  readonly leaseEndMs: number
  /** What runs have drawn of an escrow; `null` for the hold of one run. */
  readonly drawn: bigint | null
}

/** What the books must know of a report. */
export interface BookedReport {
  readonly entry: number
  readonly id: string
  readonly total: bigint
  readonly drId: string
  readonly timestamp: bigint
}

/** The balance that is kept. */
export interface StoredAccount {
  readonly granted: bigint
  readonly used: bigint
  readonly held: bigint
  readonly lastEntry: number
}

/** What stands beside the journal and the reports of one project. */
export interface KeptBeside {
  readonly account: StoredAccount
  readonly holds: ReadonlyArray<StoredHold>
  /** The ids of runs under idempotency keys that were charged without an answer. */
  readonly unanswered: ReadonlyArray<string>
}

/** All of it. */
export interface LedgerTables extends KeptBeside {
  readonly projectId: string
  readonly journal: ReadonlyArray<JournalLine>
  readonly reports: ReadonlyArray<BookedReport>
}
