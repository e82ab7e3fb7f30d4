/** A client of `@effect/sql` over one synchronous SQLite connection: durable, one transaction at a time. */
import { Reactivity } from "@effect/experimental/Reactivity"
import * as SqlClient from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import { SqlError } from "@effect/sql/SqlError"
import { makeCompilerSqlite } from "@effect/sql/Statement"
import { Effect, Scope, Stream } from "effect"
import { BusyFile } from "./busyFile.ts"
import { type DatabaseSync, loadDatabaseSync, type SqliteValue, type StatementSync } from "./databaseSync.ts"
import { FileVersion } from "./fileVersion.ts"
import { SettingsVersion } from "./settingsVersion.ts"

/** An open database: the client for queries, `exec` for pragmas. */
export interface SqliteClient {
  readonly client: SqlClient.SqlClient
  /** Runs statements without results, outside of any transaction; waits for other processes' locks. */
  readonly exec: (statements: string) => Effect.Effect<void, SqlError>
  /** The same without waiting: it fails if another process has the lock. */
  readonly execNow: (statements: string) => Effect.Effect<void, SqlError>
  /** Changes with every commit to the file by any process; `undefined` if it cannot be read now. */
  readonly version: () => string | undefined
  /** The same for keys, projects and programs only. */
  readonly settings: () => string | undefined
}

const maxPreparedStatements = 256

/** 32 MiB of log, so that a page changed by many transactions is copied to the file once for all of them. */
const pagesToCheckpoint = 8_192
const cacheKiB = 32_768

/** Prepared statements by text; at the limit all are dropped, which only happens with texts made from data. */
const statementCache = (database: DatabaseSync): ((sql: string) => StatementSync) => {
  const prepared = new Map<string, StatementSync>()
  return (sql) => {
    const known = prepared.get(sql)
    if (known !== undefined) return known
    if (prepared.size >= maxPreparedStatements) prepared.clear()
    const statement = database.prepare(sql)
    prepared.set(sql, statement)
    return statement
  }
}

const sqlErrorOf = (cause: unknown): SqlError => new SqlError({ cause, message: cause instanceof Error ? cause.message : String(cause) })

const attempt = <A>(work: () => A): Effect.Effect<A, SqlError> => Effect.try({ try: work, catch: sqlErrorOf })

/**
 * Rolls back in any state: SQLite has often ended the transaction already (a full disk), or it never began because another process was
 * writing. In both cases the first error is the relevant one; a transaction left open is noticed at once.
 */
const rollback = (database: DatabaseSync): void => {
  try {
    database.exec("ROLLBACK")
  } catch {
    // There was no transaction to roll back.
  }
}

const commit = (database: DatabaseSync): void => {
  try {
    database.exec("COMMIT")
  } catch (cause) {
    rollback(database)
    throw cause
  }
}

/** One of the drivers silently cuts text at a NUL, and PostgreSQL refuses it, so it is refused everywhere. */
const bindable = (values: ReadonlyArray<unknown>): ReadonlyArray<SqliteValue> => {
  if (values.some((value) => typeof value === "string" && value.includes("\u0000"))) {
    throw new TypeError("a text with a NUL character cannot be stored")
  }
  // SQLite itself refuses other values that it cannot store.
  return values as ReadonlyArray<SqliteValue>
}

type Rows = (sql: string, values: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<object>, SqlError>

const rowsOf = (database: DatabaseSync, version: FileVersion): Rows => {
  const statementOf = statementCache(database)
  return (sql, values) =>
    attempt(() => {
      version.forget()
      return statementOf(sql).all(...bindable(values))
    })
}

/** How statements are run; `unprepared` is for those that begin and end transactions. */
const connectionOf = (rows: Rows, unprepared: Rows): Connection => ({
  execute: (sql, values, transformRows) =>
    Effect.map(rows(sql, values), (found) => (transformRows === undefined ? found : transformRows(found))),
  executeRaw: rows,
  executeValues: (sql, values) => Effect.map(rows(sql, values), (found) => found.map((row) => Object.values(row))),
  executeUnprepared: unprepared,
  executeStream: (sql, values) => Stream.fromIterableEffect(rows(sql, values))
})

const begin = "BEGIN IMMEDIATE"

/** Statements run one at a time. One that meets another process's lock lets others run while it waits. */
const statements = (rows: Rows, turn: Effect.Semaphore, file: BusyFile): Connection => {
  const inTurn: Rows = (sql, values) => file.patiently(turn.withPermits(1)(rows(sql, values)))
  return connectionOf(inTurn, inTurn)
}

/**
 * The connection for a transaction, or for a caller that reserves it: no other statements run until the scope closes. While a transaction
 * waits to begin, others may run, so that a writing process does not block our readers.
 */
const reserved = (rows: Rows, turn: Effect.Semaphore, file: BusyFile, database: DatabaseSync) =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      yield* restore(turn.take(1))
      let isOurs = true
      yield* Scope.addFinalizer(
        yield* Effect.scope,
        Effect.suspend(() => (isOurs ? turn.release(1) : Effect.void))
      )
      const tryToBegin = Effect.suspend(() => {
        const taken = isOurs ? Effect.void : turn.take(1)
        isOurs = true
        const lettingGo = Effect.suspend(() => {
          isOurs = false
          return turn.release(1)
        })
        return Effect.zipRight(
          taken,
          Effect.tapError(rows(begin, []), () => lettingGo)
        )
      })
      return connectionOf(rows, (sql, values) => {
        if (sql === begin) return Effect.as(Effect.uninterruptible(file.patientlyLocking(tryToBegin)), [])
        if (sql === "COMMIT")
          return Effect.as(
            attempt(() => commit(database)),
            []
          )
        // Without holding the turn nothing was begun: an open transaction belongs to another fiber.
        if (sql === "ROLLBACK") return Effect.as(isOurs ? attempt(() => rollback(database)) : Effect.void, [])
        return rows(sql, values)
      })
    })
  )

/** Checkpoints the log into the file, so that the file alone is the whole database. */
const close = (database: DatabaseSync): void => {
  try {
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)")
  } catch {
    // Another process has the file open; the last one to close it checkpoints.
  }
  database.close()
}

/**
 * Opens a database file with a write-ahead log, a flush to disk on every commit, and foreign keys. Statements and transactions wait up to
 * `busyTimeoutMs` for another process's transaction, without blocking anything else.
 */
export const openSqlite = (options: {
  readonly filename: string
  readonly busyTimeoutMs: number
}): Effect.Effect<SqliteClient, SqlError, Scope.Scope | Reactivity> =>
  Effect.gen(function* () {
    const DatabaseSync = yield* loadDatabaseSync
    const database = yield* Effect.acquireRelease(
      attempt(() => new DatabaseSync(options.filename)),
      (database) => Effect.sync(() => close(database))
    )
    const file = new BusyFile(options.busyTimeoutMs)
    const execNow = (words: string): Effect.Effect<void, SqlError> => attempt(() => database.exec(words))
    const exec = (words: string): Effect.Effect<void, SqlError> => file.patiently(execNow(words))
    yield* execNow("PRAGMA busy_timeout = 0")
    yield* exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON")
    yield* exec(`PRAGMA wal_autocheckpoint = ${pagesToCheckpoint}; PRAGMA cache_size = ${-cacheKiB}`)
    const version = new FileVersion(database)
    const rows = rowsOf(database, version)
    const turn = Effect.unsafeMakeSemaphore(1)
    const client = yield* SqlClient.make({
      acquirer: Effect.succeed(statements(rows, turn, file)),
      transactionAcquirer: reserved(rows, turn, file, database),
      compiler: makeCompilerSqlite(),
      beginTransaction: begin,
      spanAttributes: [["db.system.name", "sqlite"]]
    })
    return { client, exec, execNow, version: version.read, settings: new SettingsVersion(database, version).read }
  })
