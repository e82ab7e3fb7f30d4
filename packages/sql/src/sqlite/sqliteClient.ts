/** A client of `@effect/sql` over one synchronous SQLite connection: durable, one transaction at a time. */
import { Reactivity } from "@effect/experimental/Reactivity"
import * as SqlClient from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import { SqlError } from "@effect/sql/SqlError"
import { makeCompilerSqlite } from "@effect/sql/Statement"
import { Effect, Scope, Stream } from "effect"
import { type DatabaseSync, loadDatabaseSync, type SqliteValue, type StatementSync } from "./databaseSync.ts"
import { Stamp } from "./stamp.ts"

/** An open database: the client for queries, `exec` for pragmas. */
export interface SqliteClient {
  readonly client: SqlClient.SqlClient
  /** Runs statements that answer nothing, outside of any transaction. */
  readonly exec: (statements: string) => Effect.Effect<void, SqlError>
  /** Changes with every commit to the file, whoever makes it. */
  readonly stamp: () => string
}

const maxPreparedStatements = 256

/** 32 MiB of log: a page that many transactions change is copied to the file once for all of them. */
const pagesToCheckpoint = 8_192
const cacheKiB = 32_768

/** Statements by their text; at the limit all are dropped, which takes queries that make their text from data. */
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

const sqlErrorOf = (cause: unknown): SqlError =>
  new SqlError({ cause, message: cause instanceof Error ? cause.message : String(cause) })

const attempt = <A>(work: () => A): Effect.Effect<A, SqlError> => Effect.try({ try: work, catch: sqlErrorOf })

/**
 * Ends a transaction whatever its state: SQLite has often ended it already (a full disk), or it never began because
 * another process was writing. In both cases the first error is the one to tell; a transaction left open shows at once.
 */
const rollback = (database: DatabaseSync): void => {
  try {
    database.exec("ROLLBACK")
  } catch {
    // There was no transaction left to undo.
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

/** One of the drivers cuts text at a NUL without a word, and PostgreSQL refuses it: so do we, everywhere. */
const bindable = (values: ReadonlyArray<unknown>): ReadonlyArray<SqliteValue> => {
  if (values.some((value) => typeof value === "string" && value.includes("\u0000"))) {
    throw new TypeError("a text with a NUL character cannot be stored")
  }
  // What else SQLite cannot take, it refuses itself.
  return values as ReadonlyArray<SqliteValue>
}

const connectionTo = (database: DatabaseSync, stamp: Stamp): Connection => {
  const statementOf = statementCache(database)
  const rows = (sql: string, values: ReadonlyArray<unknown>) =>
    attempt(() => {
      stamp.forget()
      return statementOf(sql).all(...bindable(values))
    })
  return {
    execute: (sql, values, transformRows) =>
      Effect.map(rows(sql, values), (found) => (transformRows === undefined ? found : transformRows(found))),
    executeRaw: rows,
    executeValues: (sql, values) => Effect.map(rows(sql, values), (found) => found.map((row) => Object.values(row))),
    executeUnprepared: (sql, values) => {
      if (sql === "COMMIT") return Effect.as(attempt(() => commit(database)), [])
      if (sql === "ROLLBACK") return Effect.as(attempt(() => rollback(database)), [])
      return rows(sql, values)
    },
    executeStream: (sql, values) => Stream.fromIterableEffect(rows(sql, values))
  }
}

/** Statements wait for the connection one by one, a transaction holds it from begin to end. */
const oneAtATime = (connection: Connection): Effect.Effect<Connection, never, Scope.Scope> => {
  const semaphore = Effect.unsafeMakeSemaphore(1)
  return Effect.uninterruptibleMask((restore) =>
    restore(semaphore.take(1)).pipe(
      Effect.zipRight(Effect.scope),
      Effect.flatMap((scope) => Scope.addFinalizer(scope, semaphore.release(1))),
      Effect.as(connection)
    )
  )
}

/**
 * Opens a database file with write-ahead log, every commit flushed to disk, and foreign keys. It waits up to
 * `busyTimeoutMs` for another process's transaction, and blocks this one meanwhile: open a file once per process.
 */
export const openSqlite = (options: {
  readonly filename: string
  readonly busyTimeoutMs: number
}): Effect.Effect<SqliteClient, SqlError, Scope.Scope | Reactivity> =>
  Effect.gen(function* () {
    const DatabaseSync = yield* loadDatabaseSync
    const database = yield* Effect.acquireRelease(
      attempt(() => new DatabaseSync(options.filename)),
      (database) => Effect.sync(() => database.close())
    )
    const exec = (statements: string): Effect.Effect<void, SqlError> => attempt(() => database.exec(statements))
    yield* exec(`PRAGMA busy_timeout = ${options.busyTimeoutMs}`)
    yield* exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON")
    yield* exec(`PRAGMA wal_autocheckpoint = ${pagesToCheckpoint}; PRAGMA cache_size = ${-cacheKiB}`)
    const stamp = new Stamp(database)
    const client = yield* SqlClient.make({
      acquirer: oneAtATime(connectionTo(database, stamp)),
      compiler: makeCompilerSqlite(),
      beginTransaction: "BEGIN IMMEDIATE",
      spanAttributes: [["db.system.name", "sqlite"]]
    })
    return { client, exec, stamp: stamp.read }
  })
