/** The port to the deployed programs, named by the hash of their bytes. */
import { Clock, Context, Effect, Layer, Option, Ref } from "effect"
import { programIdOf } from "../domain/programs/programId.ts"

/** A deployed program without its bytes. */
export interface StoredProgram {
  readonly programId: string
  readonly sizeBytes: number
  /** When it was first stored, in milliseconds since the Unix epoch. */
  readonly storedAtMs: number
}

interface KeptProgram extends StoredProgram {
  readonly bytes: Uint8Array
}

const noPrograms: ReadonlyMap<string, KeptProgram> = new Map()

/** Stores programs by id. Whether bytes may be deployed is decided before `put`. */
export class ProgramStore extends Context.Tag("@sibyl/core/ProgramStore")<
  ProgramStore,
  {
    readonly get: (programId: string) => Effect.Effect<Option.Option<Uint8Array>>
    /** Stores the bytes and returns their id; storing the same bytes again changes nothing. */
    readonly put: (program: Uint8Array) => Effect.Effect<string>
    /** Every program, oldest first, then by id. */
    readonly list: Effect.Effect<ReadonlyArray<StoredProgram>>
  }
>() {
  /** Programs in this process's memory. */
  static readonly layerMemory: Layer.Layer<ProgramStore> = Layer.effect(
    ProgramStore,
    Effect.map(Ref.make(noPrograms), (programs) => ({
      get: (programId) => Effect.map(Ref.get(programs), (all) => Option.fromNullable(all.get(programId)?.bytes.slice())),
      put: (program) => {
        const programId = programIdOf(program)
        return Effect.flatMap(Clock.currentTimeMillis, (storedAtMs) => {
          const kept: KeptProgram = { programId, sizeBytes: program.length, storedAtMs, bytes: program.slice() }
          const put = (all: ReadonlyMap<string, KeptProgram>) => (all.has(programId) ? all : new Map(all).set(programId, kept))
          return Effect.as(Ref.update(programs, put), programId)
        })
      },
      list: Effect.map(Ref.get(programs), (all) =>
        [...all.values()].sort(byAge).map(({ programId, sizeBytes, storedAtMs }) => ({ programId, sizeBytes, storedAtMs }))
      )
    }))
  )
}

const byAge = (left: StoredProgram, right: StoredProgram): number =>
  left.storedAtMs - right.storedAtMs || (left.programId < right.programId ? -1 : 1)
