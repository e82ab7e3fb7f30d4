/** The port to keys and projects, as the service reads them. */
import { Context, type Effect, type Option, type Redacted } from "effect"
import type { Unauthorized } from "../contract/errors.ts"
import type { ProjectKey } from "../domain/accounts/keyRecord.ts"
import type { Principal, Project } from "../domain/accounts/project.ts"

/** Resolves keys to projects. */
export class Directory extends Context.Tag("@sibyl/core/Directory")<
  Directory,
  {
    /**
     * The project of a valid key: known, not revoked, not expired. Also records the key's last use, accurate to about a minute; this
     * neither delays nor fails the call.
     */
    readonly authenticate: (key: Redacted.Redacted) => Effect.Effect<Principal, Unauthorized>
    /** The project of a key by its public id, under the same rule; its use is not recorded. For tickets, whose keys are not presented. */
    readonly owner: (apiKeyId: string) => Effect.Effect<Principal, Unauthorized>
    /** The valid keys of a project, oldest first. */
    readonly keys: (projectId: string) => Effect.Effect<ReadonlyArray<ProjectKey>>
    readonly project: (projectId: string) => Effect.Effect<Option.Option<Project>>
  }
>() {}
