/** Gives a deployed program a name. */
import { type NameOwner, ProgramNames, ProgramStore } from "@sibyl/core"
import { readHexId } from "@sibyl/core/internal"
import { Data, Effect } from "effect"

/** A name was to be given to a program that is not deployed. */
export class ProgramNotDeployed extends Data.TaggedError("ProgramNotDeployed")<{
  readonly programId: string
  readonly message: string
}> {}

/** Refuses to name a program that is not deployed, because clients would get 404. */
export const giveName = (name: string, programId: string, owner: NameOwner) =>
  Effect.gen(function* () {
    const programs = yield* Effect.flatMap(ProgramStore, (store) => store.list)
    if (!programs.some((program) => program.programId === readHexId(programId))) {
      return yield* new ProgramNotDeployed({ programId, message: `there is no program ${programId}: deploy it before it is named` })
    }
    return yield* Effect.flatMap(ProgramNames, (names) => names.give({ name, owner, programId }))
  })
