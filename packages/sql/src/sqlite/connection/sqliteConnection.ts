/** One synchronous connection to a SQLite database, with prepared statements. */
import { freeBytes } from "./freeBytes.ts"
import type { DatabaseSync, DatabaseSyncClass, SqliteValue, StatementSync } from "./databaseSync.ts"

const maxPreparedStatements = 256

const pageBytes = 4_096
/** 32 MiB of log, so that a page changed by many transactions is copied to the file once for all of them. */
const pagesToCheckpoint = 8_192
/** The same where the log could fill what is free. */
const fewPagesToCheckpoint = 256

/** After how many pages of the log they are copied to the file, by what is free on the disk: a long log is at most a sixteenth of it. */
export const checkpointAfterPages = (freeBytes: number): number =>
  freeBytes < 16 * pagesToCheckpoint * pageBytes ? fewPagesToCheckpoint : pagesToCheckpoint

const cacheKiB = 32_768

/** What a connection to this file is set to: a write-ahead log, a flush to disk on every commit, and foreign keys. Some of it may need a lock. */
export const connectionSettings = (filename: string): string =>
  "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; " +
  `PRAGMA wal_autocheckpoint = ${checkpointAfterPages(freeBytes(filename))}; PRAGMA cache_size = ${-cacheKiB}`

/** One of the drivers silently cuts text at a NUL, and PostgreSQL refuses it, so it is refused everywhere. */
const bindable = (values: ReadonlyArray<unknown>): ReadonlyArray<SqliteValue> => {
  if (values.some((value) => typeof value === "string" && value.includes("\u0000"))) {
    throw new TypeError("a text with a NUL character cannot be stored")
  }
  // SQLite itself refuses other values that it cannot store.
  return values as ReadonlyArray<SqliteValue>
}

/** An open connection. Its methods throw the driver's errors; it never waits for a lock. */
export class SqliteConnection {
  readonly database: DatabaseSync
  readonly #prepared = new Map<string, StatementSync>()
  /** How long the last commit took: mostly its flush. */
  commitMs = 0

  constructor(Database: DatabaseSyncClass, filename: string) {
    this.database = new Database(filename)
    this.database.exec("PRAGMA busy_timeout = 0")
  }

  /** The rows of one statement, which is prepared once. */
  rows(text: string, values: ReadonlyArray<unknown>): ReadonlyArray<object> {
    return this.#statementOf(text).all(...bindable(values))
  }

  /** Runs statements without results. */
  exec(words: string): void {
    this.database.exec(words)
  }

  /** At the limit all statements are dropped, which only happens with texts made from data. */
  #statementOf(text: string): StatementSync {
    const known = this.#prepared.get(text)
    if (known !== undefined) return known
    if (this.#prepared.size >= maxPreparedStatements) this.#prepared.clear()
    const statement = this.database.prepare(text)
    this.#prepared.set(text, statement)
    return statement
  }

  /** Commits; if that fails, the transaction is rolled back. */
  commit(): void {
    const startMs = performance.now()
    try {
      this.database.exec("COMMIT")
      this.commitMs = performance.now() - startMs
    } catch (cause) {
      this.rollback()
      throw cause
    }
  }

  /**
   * Rolls back in any state: SQLite has often ended the transaction already (a full disk), or it never began because another process was
   * writing. In both cases the first error is the relevant one; a transaction left open is noticed at once.
   */
  rollback(): void {
    try {
      this.database.exec("ROLLBACK")
    } catch {
      // There was no transaction to roll back.
    }
  }

  /** Checkpoints the log into the file, so that the file alone is the whole database, and closes. */
  close(): void {
    try {
      this.database.exec("PRAGMA wal_checkpoint(TRUNCATE)")
    } catch {
      // Another process has the file open; the last one to close it checkpoints.
    }
    this.database.close()
  }
}
