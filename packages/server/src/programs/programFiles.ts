/** Reads and writes the files of programs; a system error becomes one line. */
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import { Effect } from "effect"
import { CommandFailed } from "../output/failure.ts"

const codeOf = (cause: unknown): string => (cause instanceof Error && "code" in cause ? String(cause.code) : String(cause))

const attempt = <A>(what: string, act: () => Promise<A>): Effect.Effect<A, CommandFailed> =>
  Effect.tryPromise({ try: act, catch: (cause) => new CommandFailed({ message: `${what} (${codeOf(cause)})` }) })

/** The bytes of a file. */
export const readBytes = (path: string): Effect.Effect<Uint8Array, CommandFailed> =>
  attempt(`${path} cannot be read`, async () => new Uint8Array(await readFile(path)))

/** The text of a file. */
export const readText = (path: string): Effect.Effect<string, CommandFailed> =>
  attempt(`${path} cannot be read`, () => readFile(path, "utf8"))

/** Writes a file, and creates missing parent folders. */
export const writeProgramFile = (path: string, content: string | Uint8Array): Effect.Effect<void, CommandFailed> =>
  attempt(`${path} cannot be written`, async () => {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, content)
  })

/** Whether a folder is there. */
export const isFolder = (path: string): Effect.Effect<boolean, CommandFailed> =>
  attempt(`${path} cannot be read`, async () => (await stat(path)).isDirectory())

/** The names in a folder, sorted; empty if there is no such folder. */
export const namesIn = (folder: string): Effect.Effect<ReadonlyArray<string>, CommandFailed> =>
  attempt(`${folder} cannot be read`, async () => {
    try {
      return (await readdir(folder)).toSorted()
    } catch (cause) {
      if (codeOf(cause) === "ENOENT") return []
      throw cause
    }
  })
