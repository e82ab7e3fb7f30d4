/** A project: who pays, what it may run and how much (decision D10). */
import type { GasLimits } from "../settings/gasLimits.ts"
import type { Limits } from "../settings/limits.ts"
import type { TicketGrant } from "../tickets/ticket.ts"

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
  /** The only hosts that its programs may reach, within what the service allows: exact, or `*.example.com`; `null`: all of those. */
  readonly allowedHosts: ReadonlyArray<string> | null
  /** The limits that differ from the service's. */
  readonly limits: Partial<Limits>
}

/** A project with all its effective limits: its own where set, else the service's. */
export interface ResolvedProject extends Project {
  readonly limits: Limits
  /** Set if a ticket has opened the request or connection: what it allows. */
  readonly ticket?: TicketGrant
}

/** The project with its effective limits. */
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

/** The caller of a service: a principal whose project's limits are resolved. */
export interface ResolvedPrincipal extends Principal {
  readonly project: ResolvedProject
}
