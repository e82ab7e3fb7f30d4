/** Gives a deployed program a name. */
import { type NameOwner, ProgramNames, ProgramStore } from "@sibyl/core"
import { readHexId } from "@sibyl/core/internal"
import { Effect } from "effect"
import { CommandFailed } from "../output/failure.ts"

/** Refuses to name a program that is not deployed, because clients would get 404. */
export const giveName = (name: string, programId: string, owner: NameOwner) =>
  Effect.gen(function* () {
    const programs = yield* Effect.flatMap(ProgramStore, (store) => store.list)
    if (!programs.some((program) => program.programId === readHexId(programId))) {
      return yield* new CommandFailed({ message: `there is no program ${programId}: deploy it before it is named` })
    }
    return yield* Effect.flatMap(ProgramNames, (names) => names.give({ name, owner, programId }))
  })
