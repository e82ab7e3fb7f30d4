/** Whether anything in a SQLite file has changed. */
import type { DatabaseSync } from "./databaseSync.ts"

/**
 * SQLite's own counters of changes: `data_version` counts the commits of every other connection as this one sees
 * them, `total_changes` the rows that this one has changed. Asked once for all requests that one turn of the event loop
 * hands in, and again after every statement of our own: another process's commit is seen with the next turn.
 */
export class FileVersion {
  readonly #ask: () => string | undefined
  #thisTurn: string | undefined

  constructor(database: DatabaseSync) {
    const both = database.prepare("SELECT data_version || '/' || total_changes() AS version FROM pragma_data_version")
    this.#ask = () => {
      try {
        return String(both.all()[0]?.["version"])
      } catch {
        // Another process locks readers out, or the file is gone: whether anything has changed cannot be told.
        return undefined
      }
    }
  }

  /** A statement of this connection is about to run. */
  readonly forget = (): void => {
    this.#thisTurn = undefined
  }

  /** Changes with every commit to the file, whoever makes it; `undefined` when the file cannot be asked. */
  readonly read = (): string | undefined => {
    if (this.#thisTurn !== undefined) return this.#thisTurn
    setImmediate(this.forget)
    return (this.#thisTurn = this.#ask())
  }
}
