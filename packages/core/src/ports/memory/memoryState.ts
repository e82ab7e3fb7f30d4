/** The one state behind the stores in memory, changed in one synchronous step at a time. */
import type { StoredKey } from "../../domain/authentication.ts"
import type { Hold } from "../../domain/balance.ts"
import type { Account } from "../../domain/credits.ts"
import type { Project } from "../../domain/project.ts"
import type { PlacedReport } from "../resultStore.ts"
import { StoreDefect } from "../storeDefect.ts"

/** A hold that is neither settled nor voided. */
export interface OpenHold {
  readonly hold: Hold
  readonly leaseEndMs: number
  /** The usage period it counts to, a key of `periods`; `undefined` where the project has no usage limit. */
  readonly period: string | undefined
}

/** Everything the stores know. Only the files beside this one touch it, never across an asynchronous step. */
export interface MemoryState {
  readonly network: string
  readonly organizations: Map<string, string>
  readonly projects: Map<string, Project>
  readonly keys: Map<string, StoredKey>
  readonly accounts: Map<string, Account>
  /** Credits held or used per usage period. */
  readonly periods: Map<string, bigint>
  readonly openHolds: Map<string, OpenHold>
  readonly resolvedHolds: Map<string, "posted" | "voided">
  /** Reports by project and drId, oldest first. */
  readonly reports: Map<string, Array<PlacedReport>>
  /** The newest report by project, mode and last-result key. */
  readonly lastResults: Map<string, PlacedReport>
  readonly timestamps: Map<string, number>
}

/** A state in which nothing has happened. */
export const emptyState = (network: string): MemoryState => ({
  network,
  organizations: new Map(),
  projects: new Map(),
  keys: new Map(),
  accounts: new Map(),
  periods: new Map(),
  openHolds: new Map(),
  resolvedHolds: new Map(),
  reports: new Map(),
  lastResults: new Map(),
  timestamps: new Map()
})

/** The value under `id`; that there is none is the caller's defect. `what` names it. */
export const existing = <Value>(from: ReadonlyMap<string, Value>, id: string, what: string): Value => {
  const value = from.get(id)
  if (value === undefined) throw new StoreDefect(`${what} ${id} does not exist`)
  return value
}
