/** Files with a secret: made new, readable by their owner only. */
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from "node:fs"
import { dirname } from "node:path"
import { Effect } from "effect"
import { readSettingWithin } from "../output/readWithin.ts"
import { CommandFailed } from "../output/failure.ts"
import { fileReason, isNoFile, notRead } from "../output/fileReason.ts"

const notWritten = (file: string, cause: unknown): CommandFailed =>
  new CommandFailed({ message: `cannot write ${file}: ${isNoFile(cause) ? `there is no folder ${dirname(file)}` : fileReason(cause)}` })

/** Writes a new file, on disk when this ends. One that is there is not replaced. */
export const writeSecretFile = (file: string, secret: string): Effect.Effect<void, CommandFailed> =>
  Effect.try({
    try: () => {
      const opened = openSync(file, "wx", 0o600)
      try {
        writeSync(opened, `${secret}\n`)
        fsyncSync(opened)
      } catch (cause) {
        rmSync(file, { force: true })
        throw cause
      } finally {
        closeSync(opened)
      }
    },
    catch: (cause) => notWritten(file, cause)
  })

/** The text of a file. */
export const readSecretFile = (file: string): Effect.Effect<string, CommandFailed> =>
  Effect.tryPromise({ try: () => readSettingWithin(file), catch: (cause) => new CommandFailed({ message: notRead(file, cause) }) })
