/** A store of your own: deployed programs as files of a folder, named by their ids. */
import { mkdir, open, readdir, readFile, rename, stat, utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { programIdOf, ProgramStore, type StoredProgram } from "@sibyl/core"
import { Clock, Effect, Layer, Option } from "effect"

const suffix = ".wasm"

const isMissing = (cause: unknown): boolean => cause instanceof Error && "code" in cause && cause.code === "ENOENT"

const byAge = (one: StoredProgram, other: StoredProgram): number =>
  one.storedAtMs - other.storedAtMs || (one.programId < other.programId ? -1 : 1)

const flush = async (path: string): Promise<void> => {
  const file = await open(path)
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Written beside its name first, so that nobody ever reads half a program; file and name are flushed, so that a crash does not lose what was answered. */
const write = async (folder: string, programId: string, program: Uint8Array, storedAtMs: number): Promise<void> => {
  const draft = join(folder, `${programId}.${crypto.randomUUID()}`)
  await writeFile(draft, program)
  await utimes(draft, storedAtMs / 1_000, storedAtMs / 1_000)
  await flush(draft)
  await rename(draft, join(folder, programId + suffix))
  await flush(folder)
}

const storedIn = async (folder: string): Promise<ReadonlyArray<StoredProgram>> => {
  const names = (await readdir(folder)).filter((name) => name.endsWith(suffix))
  const stored = names.map(async (name) => {
    const { mtimeMs, size } = await stat(join(folder, name))
    return { programId: name.slice(0, -suffix.length), sizeBytes: size, storedAtMs: Math.round(mtimeMs) }
  })
  return (await Promise.all(stored)).toSorted(byAge)
}

/** Programs in a folder, which is made if it is not there. A disk that fails is a defect. */
export const layerFolderPrograms = (folder: string): Layer.Layer<ProgramStore> =>
  Layer.effect(
    ProgramStore,
    Effect.gen(function* () {
      yield* Effect.promise(() => mkdir(folder, { recursive: true }))
      const get = (programId: string) =>
        Effect.promise(() =>
          readFile(join(folder, programId + suffix)).then(
            (bytes) => Option.some(new Uint8Array(bytes)),
            (cause: unknown) => (isMissing(cause) ? Option.none<Uint8Array>() : Promise.reject(cause))
          )
        )
      const put = (program: Uint8Array) =>
        Effect.gen(function* () {
          const programId = programIdOf(program)
          const storedAtMs = yield* Clock.currentTimeMillis
          // A copy, because the caller may change its bytes while they are written.
          const copy = program.slice()
          if (Option.isNone(yield* get(programId))) yield* Effect.promise(() => write(folder, programId, copy, storedAtMs))
          return programId
        })
      return { get, put, list: Effect.promise(() => storedIn(folder)) }
    })
  )
