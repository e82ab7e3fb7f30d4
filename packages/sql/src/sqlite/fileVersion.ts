/** Whether anything in a SQLite file has changed. */
import type { DatabaseSync } from "./connection/databaseSync.ts"

/**
 * SQLite's own change counters: `data_version` counts the commits of other connections that this one has seen, `total_changes` the rows
 * that this one has changed. Read once per turn of the event loop, and again after every statement of this connection: a commit of another
 * process is seen in the next turn.
 */
export class FileVersion {
  readonly #commits: () => unknown
  readonly #rows: () => unknown
  /** What was read last. The rows of this connection can only change by its own statements. */
  #read: { readonly commits: unknown; readonly rows: unknown; readonly version: string } | undefined
  #thisTurn: string | undefined
  readonly #endTurn = (): void => {
    this.#thisTurn = undefined
  }

  constructor(database: DatabaseSync) {
    // A third faster than one statement that selects both.
    const commits = database.prepare("PRAGMA data_version")
    const rows = database.prepare("SELECT total_changes() AS rows")
    this.#commits = () => commits.all()[0]?.["data_version"]
    this.#rows = () => rows.all()[0]?.["rows"]
  }

  /** A statement of this connection is about to run. */
  readonly forget = (): void => {
    this.#read = undefined
    this.#thisTurn = undefined
  }

  /** Changes with every commit to the file by any process; `undefined` if the file cannot be read. */
  readonly read = (): string | undefined => {
    if (this.#thisTurn !== undefined) return this.#thisTurn
    setImmediate(this.#endTurn)
    return (this.#thisTurn = this.#ask())
  }

  #ask(): string | undefined {
    const before = this.#read
    try {
      const commits = this.#commits()
      if (before !== undefined && before.commits === commits) return before.version
      const rows = before?.rows ?? this.#rows()
      const version = `${String(commits)}/${String(rows)}`
      this.#read = { commits, rows, version }
      return version
    } catch {
      // Another process locks readers out, or the file is gone: it is not known whether anything has changed.
      return undefined
    }
  }
}
