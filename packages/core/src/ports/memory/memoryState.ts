/** The state of all stores in memory; every change is one synchronous step. */
import type { Account } from "../../domain/credits/credits.ts"
import type { HoldRecord, PeriodUsage } from "../../domain/credits/ledgerSnapshot.ts"
import type { ExecutionReport } from "../../domain/reports/executionReport.ts"
import type { DurableFeed, FeedEntry } from "../../domain/feeds/durableFeed.ts"
import type { FeedLeaseRecord } from "../../domain/feeds/feedLease.ts"
import type { IdempotencyRecord } from "../../domain/runs/idempotency.ts"
import type { StoredTime } from "../../domain/runs/storedTime.ts"
import type { JournalEntry } from "../../domain/credits/journalEntry.ts"
import type { KeyRecord } from "../../domain/accounts/keyRecord.ts"
import type { Organization } from "../../domain/accounts/organization.ts"
import type { NameChange } from "../../domain/programs/programName.ts"
import type { Project } from "../../domain/accounts/project.ts"
import type { TicketRecord } from "../../domain/tickets/ticket.ts"
import type { PlacedReport } from "../resultStore.ts"
import { StoreDefect } from "../storeDefect.ts"

/** One project's credits. */
export interface MemoryCredits {
  account: Account
  /** Oldest first. */
  readonly journal: Array<JournalEntry>
  /** Holds that are neither posted nor voided, by id. */
  readonly openHolds: Map<string, HoldRecord>
  readonly resolvedHolds: Map<string, HoldRecord>
  /** By `periodKey`. */
  readonly usage: Map<string, PeriodUsage>
}

/** A key with the hash of its text. */
export interface MemoryKey extends KeyRecord {
  readonly hash: string
}

/** What is stored of a project beside its settings. */
export interface ProjectNotes {
  readonly name: string | null
  readonly createdAtMs: number
}

/** The content of all stores. Only the files in this folder access it, never across an asynchronous step. */
export interface MemoryState {
  readonly network: string
  /** By slug. */
  readonly organizations: Map<string, Organization>
  readonly projects: Map<string, Project>
  readonly projectNotes: Map<string, ProjectNotes>
  readonly keys: Map<string, MemoryKey>
  /** By project. */
  readonly credits: Map<string, MemoryCredits>
  /** Reports by project and drId, oldest first. */
  readonly reports: Map<string, Array<PlacedReport>>
  /** The newest report by project, mode and last-result key. */
  readonly lastResults: Map<string, PlacedReport>
  /** Every report by project and id. */
  readonly reportsById: Map<string, ExecutionReport>
  /** The drawn hold that paid for a run, by project and report id. */
  readonly drawnHoldIds: Map<string, string>
  /** The last timestamp by project and drId. */
  readonly timestamps: Map<string, StoredTime>
  /** The storage of programs, by project and program. */
  readonly programStorage: Map<string, Map<string, string>>
  /** The history of each name, by owner and name, oldest first. */
  readonly programNames: Map<string, Array<NameChange>>
  /** The number of changes so far, and of those to what is configured. */
  readonly changes: { count: number; settings: number }
  /** By project and idempotency key, ordered by expiry. */
  readonly idempotency: Map<string, IdempotencyRecord>
  /** By the feed's key. */
  readonly feedSchedules: Map<string, FeedLeaseRecord>
  /** Durable feeds by id, oldest first. */
  readonly feeds: Map<string, DurableFeed>
  /** What is kept of their runs, by the feed's id, in order. */
  readonly feedEntries: Map<string, Array<FeedEntry>>
  /** By id. */
  readonly tickets: Map<string, TicketRecord>
}

/** The initial state. */
export const emptyState = (network: string): MemoryState => ({
  network,
  organizations: new Map(),
  projects: new Map(),
  projectNotes: new Map(),
  keys: new Map(),
  credits: new Map(),
  reports: new Map(),
  lastResults: new Map(),
  reportsById: new Map(),
  drawnHoldIds: new Map(),
  timestamps: new Map(),
  programStorage: new Map(),
  programNames: new Map(),
  changes: { count: 0, settings: 0 },
  idempotency: new Map(),
  feedSchedules: new Map(),
  feeds: new Map(),
  feedEntries: new Map(),
  tickets: new Map()
})

/** The value under `id`; a missing one is a defect of the caller. `what` names it. */
export const existing = <Value>(from: ReadonlyMap<string, Value>, id: string, what: string): Value => {
  const value = from.get(id)
  if (value === undefined) throw new StoreDefect(`${what} ${id} does not exist`)
  return value
}

/** The credits of a new project. */
export const noCredits = (): MemoryCredits => ({
  account: { granted: 0n, used: 0n, held: 0n },
  journal: [],
  openHolds: new Map(),
  resolvedHolds: new Map(),
  usage: new Map()
})
