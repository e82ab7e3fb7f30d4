/** The port to the names that operators give to programs. */
import { Context, type Effect, type Option } from "effect"
import type { InvalidSetting } from "../domain/settings/invalidSetting.ts"
import type { NameChange, NamedProgram, NameOwner, ProgramNameInput } from "../domain/programs/programName.ts"
import type { ProjectNotFound } from "./accountErrors.ts"

/** Keeps what each name means and has meant. A change is in force from the next request on, everywhere. */
export class ProgramNames extends Context.Tag("@sibyl/core/ProgramNames")<
  ProgramNames,
  {
    /** The program that a name means for a project: the project's own name, else the service's. */
    readonly find: (projectId: string, name: string) => Effect.Effect<Option.Option<string>>
    /** Lets a name mean a program from now on; that it does already changes nothing. Whether the program is deployed is not asked. */
    readonly give: (input: ProgramNameInput) => Effect.Effect<NamedProgram, InvalidSetting | ProjectNotFound>
    /** Takes a name away; false when nobody has it. Its history stays. */
    readonly take: (owner: NameOwner, name: string) => Effect.Effect<boolean>
    /** The names that a project could use: its own and the service's, hidden ones too; all names without a project. By name. */
    readonly list: (projectId?: string) => Effect.Effect<ReadonlyArray<NamedProgram>>
    /** Everything that a name, or every name, has meant: by name, the service's before the projects', oldest first. */
    readonly history: (name?: string) => Effect.Effect<ReadonlyArray<NameChange>>
  }
>() {}
