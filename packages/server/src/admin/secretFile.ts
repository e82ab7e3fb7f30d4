/** Files with a secret: made new, readable by their owner only. */
import { closeSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from "node:fs"
import { Effect } from "effect"
import { CommandFailed } from "../output/failure.ts"

const reasonOf = (cause: unknown): string => {
  const code = typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : ""
  if (code === "EEXIST") return "it is there already"
  if (code === "ENOENT") return "there is no such file or folder"
  return code === "" ? String(cause) : code
}

const failure = (doing: string, file: string) => (cause: unknown) =>
  new CommandFailed({ message: `cannot ${doing} ${file}: ${reasonOf(cause)}` })

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
    catch: failure("write", file)
  })

/** The text of a file. */
export const readSecretFile = (file: string): Effect.Effect<string, CommandFailed> =>
  Effect.try({ try: () => readFileSync(file, "utf8"), catch: failure("read", file) })
