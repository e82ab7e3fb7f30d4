/** How the process of a command ends: by itself where it can, because only then the runtime closes what it has open. */

/** Whatever keeps the process alive after its command has ended, it is not waited for any longer. */
const mostMs = 1_000

/**
 * Ends the process with `code`. A SQLite that is a package closes its last files when the runtime is taken down, which `process.exit` does
 * not do: an empty log would stay beside the database.
 */
export const endOfCommand = (code: number, exitNow: (code: number) => void): void => {
  process.exitCode = code
  setTimeout(() => exitNow(code), mostMs).unref()
}
