/** The port to the deployed programs, named by the hash of their bytes. */
import { Context, Effect, Layer, Option, Ref } from "effect"
import { programIdOf } from "../domain/programId.ts"

/** Keeps programs by id. Whether bytes are fit to be deployed is decided before `put`. */
export class ProgramStore extends Context.Tag("@sibyl/core/ProgramStore")<
  ProgramStore,
  {
    readonly get: (programId: string) => Effect.Effect<Option.Option<Uint8Array>>
    /** Stores the bytes and answers their id; storing the same bytes again changes nothing. */
    readonly put: (program: Uint8Array) => Effect.Effect<string>
  }
>() {
  /** Programs in this process's memory. */
  static readonly memory: Layer.Layer<ProgramStore> = Layer.effect(
    ProgramStore,
    Effect.map(Ref.make<ReadonlyMap<string, Uint8Array>>(new Map()), (programs) => ({
      get: (programId) => Effect.map(Ref.get(programs), (all) => Option.fromNullable(all.get(programId)?.slice())),
      put: (program) => {
        const id = programIdOf(program)
        return Effect.as(Ref.update(programs, (all) => new Map(all).set(id, program.slice())), id)
      }
    }))
  )
}
