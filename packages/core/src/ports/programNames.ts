/** The port to the names that operators give to programs. */
import { Context, type Effect, type Option } from "effect"
import type { InvalidSetting } from "../domain/settings/invalidSetting.ts"
import type { NameChange, NamedProgram, NameOwner, ProgramNameInput } from "../domain/programs/programName.ts"
import type { ProjectNotFound } from "./accountErrors.ts"

/** Stores the meaning of each name and its history. A change applies from the next request on, on every server. */
export class ProgramNames extends Context.Tag("@sibyl/core/ProgramNames")<
  ProgramNames,
  {
    /** The program that a name means for a project: the project's own name, else the service's. */
    readonly find: (projectId: string, name: string) => Effect.Effect<Option.Option<string>>
    /** Gives a program a name; does nothing if it has that name already. The program need not be deployed. */
    readonly give: (input: ProgramNameInput) => Effect.Effect<NamedProgram, InvalidSetting | ProjectNotFound>
    /** Removes a name; false if there is none. Its history stays. */
    readonly take: (owner: NameOwner, name: string) => Effect.Effect<boolean>
    /** The names that a project can use: its own and the service's, including hidden ones; without a project, all names. Sorted by name. */
    readonly list: (projectId?: string) => Effect.Effect<ReadonlyArray<NamedProgram>>
    /** The history of one name or of all names: by name, the service's before the projects', oldest first. */
    readonly history: (name?: string) => Effect.Effect<ReadonlyArray<NameChange>>
  }
>() {}
