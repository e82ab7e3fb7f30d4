/** The port through which an operator sets up projects, keys and credits. */
import { Context, type Effect, type Redacted } from "effect"
import type { Balance } from "../domain/balance.ts"
import { defaultGasLimits, type Project } from "../domain/project.ts"

/** What a new project starts with; whatever is left out takes its default (no usage limit, every program, no credits). */
export type NewProject = { readonly organizationSlug: string } & Partial<
  Pick<Project, "gasLimits" | "usageLimit" | "allowedPrograms" | "limits">
>

/** The project that a store keeps for a new one: `ids` are given by the store, what was left out takes its default. */
export const projectOf = (
  ids: Pick<Project, "projectId" | "organizationId">,
  project: NewProject
): Project => ({
  projectId: ids.projectId,
  organizationId: ids.organizationId,
  organizationSlug: project.organizationSlug,
  gasLimits: project.gasLimits ?? defaultGasLimits,
  usageLimit: project.usageLimit ?? null,
  allowedPrograms: project.allowedPrograms ?? null,
  limits: project.limits ?? {}
})

/** A key as it is handed out, once. */
export interface IssuedKey {
  readonly apiKeyId: string
  readonly key: Redacted.Redacted
}

/**
 * Sets up projects, keys and credits. The ids named must exist; one that does not is a `StoreDefect` of the caller.
 * Projects of one `organizationSlug` belong to one organization.
 */
export class Provisioning extends Context.Tag("@sibyl/core/Provisioning")<
  Provisioning,
  {
    readonly createProject: (project: NewProject) => Effect.Effect<Project>
    readonly issueKey: (projectId: string, options?: { readonly expiresAtMs?: number }) => Effect.Effect<IssuedKey>
    /** The key answers 401 from now on; revoking it again changes nothing. */
    readonly revokeKey: (apiKeyId: string) => Effect.Effect<void>
    /** Adds to what was granted; `credits` must not be negative (a `StoreDefect`). */
    readonly grant: (projectId: string, credits: bigint) => Effect.Effect<Balance>
  }
>() {}
