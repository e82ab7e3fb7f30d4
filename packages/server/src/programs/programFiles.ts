/** Reads and writes the files of programs; a system error becomes one line. */
import { mkdir, readdir, stat, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import { Effect } from "effect"
import { readFileWithin } from "../output/readWithin.ts"
import { CommandFailed } from "../output/failure.ts"
import { fileReason, isNoFile, notRead } from "../output/fileReason.ts"

const reading = <A>(path: string, act: () => Promise<A>): Effect.Effect<A, CommandFailed> =>
  Effect.tryPromise({ try: act, catch: (cause) => new CommandFailed({ message: notRead(path, cause) }) })

/** The bytes of a file. */
export const readBytes = (path: string): Effect.Effect<Uint8Array, CommandFailed> =>
  reading(path, async () => new Uint8Array(await readFileWithin(path)))

/** The text of a file. */
export const readText = (path: string): Effect.Effect<string, CommandFailed> =>
  reading(path, async () => (await readFileWithin(path)).toString("utf8"))

/** Writes a file, and creates missing parent folders. */
export const writeProgramFile = (path: string, content: string | Uint8Array): Effect.Effect<void, CommandFailed> =>
  Effect.tryPromise({
    try: async () => {
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, content)
    },
    catch: (cause) => new CommandFailed({ message: `${path} cannot be written: ${fileReason(cause)}` })
  })

/** Whether what is there is a folder. */
export const isFolder = (path: string): Effect.Effect<boolean, CommandFailed> => reading(path, async () => (await stat(path)).isDirectory())

/** Refuses a file where the folder of a program is wanted; `instead` goes on to say what takes a file. Whether anything is there is not looked at. */
export const refuseFile = (path: string, instead = ""): Effect.Effect<void, CommandFailed> =>
  Effect.flatMap(
    Effect.orElseSucceed(isFolder(path), () => true),
    (isOne) => (isOne ? Effect.void : new CommandFailed({ message: `${path} is a file, and not the folder of a program${instead}` }))
  )

/** The names in a folder, sorted; empty if there is no such folder. */
export const namesIn = (folder: string): Effect.Effect<ReadonlyArray<string>, CommandFailed> =>
  reading(folder, async () => {
    try {
      return (await readdir(folder)).toSorted()
    } catch (cause) {
      if (isNoFile(cause)) return []
      throw cause
    }
  })
