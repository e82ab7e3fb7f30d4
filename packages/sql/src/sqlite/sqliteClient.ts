/** A client of `@effect/sql` over one synchronous SQLite connection: durable, one transaction at a time. */
import { Reactivity } from "@effect/experimental/Reactivity"
import * as SqlClient from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import { SqlError } from "@effect/sql/SqlError"
import { makeCompilerSqlite } from "@effect/sql/Statement"
import { Effect, Scope, Stream } from "effect"
import { BusyFile } from "./busyFile.ts"
import { loadDatabaseSync } from "./connection/loadDatabaseSync.ts"
import { FileVersion } from "./fileVersion.ts"
import { refuseForeign } from "./refuseForeign.ts"
import { connectionSettings, SqliteConnection } from "./connection/sqliteConnection.ts"
import { SettingsVersion } from "./settingsVersion.ts"

/** An open database: the client for queries, `exec` for pragmas. */
export interface SqliteClient {
  readonly client: SqlClient.SqlClient
  /** Runs statements without results, outside of any transaction; waits for other processes' locks. */
  readonly exec: (statements: string) => Effect.Effect<void, SqlError>
  /** The same without waiting: it fails if another process has the lock. */
  readonly execNow: (statements: string) => Effect.Effect<void, SqlError>
  /** Whether anything in the file has changed. */
  readonly version: FileVersion
  /** The same for keys, projects and programs only; `undefined` if it cannot be read now. */
  readonly settings: () => string | undefined
  /** What the client uses; for one that takes its place. */
  readonly connection: SqliteConnection
  readonly file: BusyFile
}

/** The error of a driver, or what another thread said of it. */
export const sqlErrorOf = (cause: unknown): SqlError =>
  new SqlError({ cause, message: cause instanceof Error ? cause.message : String(cause) })

/** Work with a connection, whose errors become failures. */
export const attempt = <A>(work: () => A): Effect.Effect<A, SqlError> => Effect.try({ try: work, catch: sqlErrorOf })

/** Runs one statement. */
export type Rows = (sql: string, values: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<object>, SqlError>

const rowsOf =
  (connection: SqliteConnection, version: FileVersion): Rows =>
  (sql, values) =>
    attempt(() => {
      version.forget()
      return connection.rows(sql, values)
    })

/** How statements are run; `unprepared` is for those that begin and end transactions. */
export const connectionOf = (rows: Rows, unprepared: Rows): Connection => ({
  execute: (sql, values, transformRows) =>
    Effect.map(rows(sql, values), (found) => (transformRows === undefined ? found : transformRows(found))),
  executeRaw: rows,
  executeValues: (sql, values) => Effect.map(rows(sql, values), (found) => found.map((row) => Object.values(row))),
  executeUnprepared: unprepared,
  executeStream: (sql, values) => Stream.fromIterableEffect(rows(sql, values))
})

/** How every transaction begins: with the lock that it will need. */
export const begin = "BEGIN IMMEDIATE"

/** Statements run one at a time. One that meets another process's lock lets others run while it waits. */
const statements = (rows: Rows, turn: Effect.Semaphore, file: BusyFile): Connection => {
  const inTurn: Rows = (sql, values) => file.patiently(turn.withPermits(1)(rows(sql, values)))
  return connectionOf(inTurn, inTurn)
}

/**
 * The connection for a transaction, or for a caller that reserves it: no other statements run until the scope closes. While a transaction
 * waits to begin, others may run, so that a writing process does not block our readers.
 */
const reserved = (rows: Rows, turn: Effect.Semaphore, file: BusyFile, connection: SqliteConnection) =>
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
            attempt(() => connection.commit()),
            []
          )
        // Without holding the turn nothing was begun: an open transaction belongs to another fiber.
        if (sql === "ROLLBACK") return Effect.as(isOurs ? attempt(() => connection.rollback()) : Effect.void, [])
        return rows(sql, values)
      })
    })
  )

/** A client over the connections for single statements and for transactions. */
export const makeClient = (single: Connection, forTransaction: Connection.Acquirer) =>
  SqlClient.make({
    acquirer: Effect.succeed(single),
    transactionAcquirer: forTransaction,
    compiler: makeCompilerSqlite(),
    beginTransaction: begin,
    spanAttributes: [["db.system.name", "sqlite"]]
  })

/**
 * Opens a database file with a write-ahead log, a flush to disk on every commit, and foreign keys. Statements and transactions wait up to
 * `busyTimeoutMs` for another process's transaction, without blocking anything else. The file of another application fails, unchanged.
 */
export const openSqlite = (options: {
  readonly filename: string
  readonly busyTimeoutMs: number
}): Effect.Effect<SqliteClient, SqlError, Scope.Scope | Reactivity> =>
  Effect.gen(function* () {
    const Database = yield* loadDatabaseSync
    const connection = yield* Effect.acquireRelease(
      attempt(() => new SqliteConnection(Database, options.filename)),
      (opened) => Effect.sync(() => opened.close())
    )
    const file = new BusyFile(options.busyTimeoutMs)
    const execNow = (words: string): Effect.Effect<void, SqlError> => attempt(() => connection.exec(words))
    const exec = (words: string): Effect.Effect<void, SqlError> => file.patiently(execNow(words))
    yield* file.patiently(attempt(() => refuseForeign(connection)))
    yield* exec(connectionSettings(options.filename))
    const version = new FileVersion(connection.database)
    const rows = rowsOf(connection, version)
    const turn = Effect.unsafeMakeSemaphore(1)
    const client = yield* makeClient(statements(rows, turn, file), reserved(rows, turn, file, connection))
    return { client, connection, file, exec, execNow, version, settings: new SettingsVersion(connection.database, version).read }
  })
