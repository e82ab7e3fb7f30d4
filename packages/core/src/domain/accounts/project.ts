/** A project: who pays, what it may run and how much (interface, "Resources"; decision D10). */
import type { GasLimits } from "../settings/gasLimits.ts"
import type { Limits } from "../settings/limits.ts"

/** At most `credits` may be held or used in each period of `periodMs`; periods are aligned to the Unix epoch. */
export interface UsageLimit {
  readonly periodMs: number
  readonly credits: bigint
}

/** One project of one organization. */
export interface Project {
  readonly projectId: string
  readonly organizationId: string
  readonly organizationSlug: string
  readonly gasLimits: GasLimits
  readonly usageLimit: UsageLimit | null
  /** Program ids, 64 lowercase hex characters; `null` allows every program. */
  readonly allowedPrograms: ReadonlyArray<string> | null
  /** What differs from the service's limits. */
  readonly limits: Partial<Limits>
}

/** A valid key and the project it belongs to. */
export interface Principal {
  readonly apiKeyId: string
  readonly apiKeyExpiresAtMs: number | null
  readonly project: Project
}
