/** Whether anything in a SQLite file has changed. */
import type { DatabaseSync } from "./connection/databaseSync.ts"

/**
 * SQLite's own change counters: `data_version` counts the commits of other connections that this one has seen, `total_changes` the rows
 * that this one has changed. Read once per turn of the event loop, and again after every statement of this connection: a commit of another
 * process is seen in the next turn.
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
        // Another process locks readers out, or the file is gone: it is not known whether anything has changed.
        return undefined
      }
    }
  }

  /** A statement of this connection is about to run. */
  readonly forget = (): void => {
    this.#thisTurn = undefined
  }

  /** Changes with every commit to the file by any process; `undefined` if the file cannot be read. */
  readonly read = (): string | undefined => {
    if (this.#thisTurn !== undefined) return this.#thisTurn
    setImmediate(this.forget)
    return (this.#thisTurn = this.#ask())
  }
}
