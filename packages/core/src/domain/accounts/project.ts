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

/** A project with every limit that holds for it: its own where it has one, else the service's. */
export interface ResolvedProject extends Project {
  readonly limits: Limits
}

/** The project within the service's limits. */
export const resolveProject = (project: Project, limits: Limits): ResolvedProject => ({
  ...project,
  limits: Object.keys(project.limits).length === 0 ? limits : { ...limits, ...project.limits }
})

/** A valid key and the project it belongs to. */
export interface Principal {
  readonly apiKeyId: string
  readonly apiKeyExpiresAtMs: number | null
  readonly project: Project
}

/** Who calls a service: a principal whose project's limits are resolved. */
export interface ResolvedPrincipal extends Principal {
  readonly project: ResolvedProject
}
