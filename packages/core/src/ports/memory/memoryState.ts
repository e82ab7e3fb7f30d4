/** The one state behind the stores in memory, changed in one synchronous step at a time. */
import type { Hold } from "../../domain/credits/balance.ts"
import type { Account } from "../../domain/credits/credits.ts"
import type { ExecutionReport } from "../../domain/reports/executionReport.ts"
import type { IdempotencyRecord } from "../../domain/runs/idempotency.ts"
import type { JournalEntry } from "../../domain/credits/journalEntry.ts"
import type { KeyRecord } from "../../domain/accounts/keyRecord.ts"
import type { Organization } from "../../domain/accounts/organization.ts"
import type { NameChange } from "../../domain/programs/programName.ts"
import type { Project } from "../../domain/accounts/project.ts"
import type { PlacedReport } from "../resultStore.ts"
import { StoreDefect } from "../storeDefect.ts"

/** A hold that is neither settled nor voided. */
export interface OpenHold {
  readonly hold: Hold
  readonly leaseEndMs: number
  /** The usage period it counts to, a key of `periods`; `undefined` where the project has no usage limit. */
  readonly period: string | undefined
}

/** A key with the hash of its text. */
export interface MemoryKey extends KeyRecord {
  readonly hash: string
}

/** What is kept of a project beside its settings. */
export interface ProjectNotes {
  readonly name: string | null
  readonly createdAtMs: number
}

/** Everything the stores know. Only the files beside this one touch it, never across an asynchronous step. */
export interface MemoryState {
  readonly network: string
  /** By slug. */
  readonly organizations: Map<string, Organization>
  readonly projects: Map<string, Project>
  readonly projectNotes: Map<string, ProjectNotes>
  readonly keys: Map<string, MemoryKey>
  readonly accounts: Map<string, Account>
  /** By project, oldest first. */
  readonly journals: Map<string, Array<JournalEntry>>
  /** Credits held or used per usage period. */
  readonly periods: Map<string, bigint>
  readonly openHolds: Map<string, OpenHold>
  readonly resolvedHolds: Map<string, "posted" | "voided">
  /** Reports by project and drId, oldest first. */
  readonly reports: Map<string, Array<PlacedReport>>
  /** The newest report by project, mode and last-result key. */
  readonly lastResults: Map<string, PlacedReport>
  /** Every report by project and id. */
  readonly reportsById: Map<string, ExecutionReport>
  readonly timestamps: Map<string, number>
  /** What programs keep, by project and program. */
  readonly programStorage: Map<string, Map<string, string>>
  /** What each name has meant, by owner and name, oldest first. */
  readonly programNames: Map<string, Array<NameChange>>
  /** How often anything was changed. */
  readonly changes: { count: number }
  /** By project and idempotency key, in the order in which they expire. */
  readonly idempotency: Map<string, IdempotencyRecord>
}

/** A state in which nothing has happened. */
export const emptyState = (network: string): MemoryState => ({
  network,
  organizations: new Map(),
  projects: new Map(),
  projectNotes: new Map(),
  keys: new Map(),
  accounts: new Map(),
  journals: new Map(),
  periods: new Map(),
  openHolds: new Map(),
  resolvedHolds: new Map(),
  reports: new Map(),
  lastResults: new Map(),
  reportsById: new Map(),
  timestamps: new Map(),
  programStorage: new Map(),
  programNames: new Map(),
  changes: { count: 0 },
  idempotency: new Map()
})

/** The value under `id`; that there is none is the caller's defect. `what` names it. */
export const existing = <Value>(from: ReadonlyMap<string, Value>, id: string, what: string): Value => {
  const value = from.get(id)
  if (value === undefined) throw new StoreDefect(`${what} ${id} does not exist`)
  return value
}

/** Writes down what happened to a project's credits. */
export const enter = (state: MemoryState, projectId: string, line: Omit<JournalEntry, "entry">): void => {
  const journal = state.journals.get(projectId) ?? []
  journal.push({ ...line, entry: journal.length + 1 })
  state.journals.set(projectId, journal)
}
