/** The port through which an operator sets up projects, keys and credits. */
import { Context, type Effect, type Redacted } from "effect"
import type { Balance } from "../domain/balance.ts"
import type { Project } from "../domain/project.ts"

/** What a new project starts with; whatever is left out takes its default (no usage limit, every program, no credits). */
export type NewProject = { readonly organizationSlug: string } & Partial<
  Pick<Project, "gasLimits" | "usageLimit" | "allowedPrograms" | "limits">
>

/** A key as it is handed out, once. */
export interface IssuedKey {
  readonly apiKeyId: string
  readonly key: Redacted.Redacted
}

/** Sets up projects, keys and credits. The ids named must exist; one that does not is a defect of the caller. */
export class Provisioning extends Context.Tag("@sibyl/core/Provisioning")<
  Provisioning,
  {
    readonly createProject: (project: NewProject) => Effect.Effect<Project>
    readonly issueKey: (projectId: string, options?: { readonly expiresAtMs?: number }) => Effect.Effect<IssuedKey>
    /** The key answers 401 from now on; revoking it again changes nothing. */
    readonly revokeKey: (apiKeyId: string) => Effect.Effect<void>
    readonly grant: (projectId: string, credits: bigint) => Effect.Effect<Balance>
  }
>() {}
