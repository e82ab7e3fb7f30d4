/** A client of a SQLite file for one simulated process: each statement may fail, be slow, not be acknowledged, or be its last. */
import * as Reactivity from "@effect/experimental/Reactivity"
import * as SqlClient from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import { SqlError } from "@effect/sql/SqlError"
import { makeCompilerSqlite } from "@effect/sql/Statement"
import type { Faults, Gate, ProcessTime } from "@sibyl/testing/simulation"
import { Effect, Layer, Scope, Stream } from "effect"

/** The parts of the runtime's SQLite that are used. */
export interface SqliteFile {
  readonly exec: (sql: string) => void
  readonly prepare: (sql: string) => { readonly all: (...values: ReadonlyArray<unknown>) => ReadonlyArray<object> }
  readonly close: () => void
}

type Rows = (sql: string, values: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<object>, SqlError>

const begin = "BEGIN IMMEDIATE"

/** As when the thread that writes dies: whether the write happened is not known. */
const lost = (): SqlError => {
  const cause = Object.assign(new Error("the writer was lost"), { code: "ERR_WRITER_LOST" })
  return new SqlError({ cause, message: cause.message })
}

const isReading = (sql: string): boolean => /^\s*(?:SELECT|PRAGMA|WITH)/i.test(sql) && !/\b(?:INSERT|UPDATE|DELETE)\b/i.test(sql)

const connectionOf = (rows: Rows): Connection => ({
  execute: (sql, values, transform) => Effect.map(rows(sql, values), (found) => (transform === undefined ? found : transform(found))),
  executeRaw: rows,
  executeValues: (sql, values) => Effect.map(rows(sql, values), (found) => found.map((row) => Object.values(row))),
  executeUnprepared: rows,
  executeStream: (sql, values) => Stream.fromIterableEffect(rows(sql, values))
})

/** What the client is made of. */
export interface GatedSqliteParts {
  readonly file: SqliteFile
  readonly gate: Gate
  readonly time: ProcessTime
  readonly faults: Faults
}

/** The rows of single statements, and those within a transaction, where only its begin and its end may go wrong without a crash. */
const gatedRows = ({ faults, file, gate, time }: GatedSqliteParts): { readonly single: Rows; readonly inside: Rows } => {
  const prepared = new Map<string, ReturnType<SqliteFile["prepare"]>>()
  const perform: Rows = (sql, values) =>
    Effect.try({
      try: () => {
        if (values.length === 0 && (sql === begin || sql === "COMMIT" || sql === "ROLLBACK")) {
          file.exec(sql)
          return []
        }
        const statement = prepared.get(sql) ?? file.prepare(sql)
        prepared.set(sql, statement)
        return statement.all(...values)
      },
      catch: (cause) => new SqlError({ cause, message: String(cause) })
    })
  const inside: Rows = (sql, values) =>
    Effect.suspend(() => {
      if (!time.isAlive) return Effect.async<never>(() => {})
      const crash = isReading(sql) ? undefined : gate.crashOfWrite()
      if (crash === "before") return gate.crash
      return crash === "after" ? Effect.zipRight(perform(sql, values), gate.crash) : perform(sql, values)
    })
  const single: Rows = (sql, values) =>
    Effect.suspend(() => {
      if (!time.isAlive) return Effect.async<never>(() => {})
      const fate = faults.fateOfCall()
      if (fate.kind === "fails" || (fate.kind === "isLost" && sql === begin)) return Effect.fail(lost())
      const done = inside(sql, values)
      if (fate.kind === "isLost") return Effect.zipRight(done, Effect.fail(lost()))
      if (fate.kind !== "isSlow") return done
      // The lock of a transaction is never kept while time passes: the operator would wait for it.
      if (sql === begin) return Effect.zipRight(Effect.sleep(fate.ms), done)
      return Effect.uninterruptible(Effect.zipLeft(done, Effect.sleep(fate.ms)))
    })
  return { single, inside }
}

/** The client. It ends with its process: whoever closes the file rolls back what was open. */
export const layerGatedSqlite = (parts: GatedSqliteParts): Layer.Layer<SqlClient.SqlClient> =>
  Layer.effect(
    SqlClient.SqlClient,
    Effect.suspend(() => {
      const { inside, single } = gatedRows(parts)
      const turn = Effect.unsafeMakeSemaphore(1)
      const alone = connectionOf((sql, values) => turn.withPermits(1)(single(sql, values)))
      const rollback = Effect.ignore(inside("ROLLBACK", []))
      const commit: Rows = (sql, values) => Effect.tapError(single(sql, values), () => rollback)
      const within: Rows = (sql, values) => {
        if (sql === begin) return single(sql, values)
        if (sql === "COMMIT") return commit(sql, values)
        return sql === "ROLLBACK" ? Effect.as(rollback, []) : inside(sql, values)
      }
      const reserved = Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          yield* restore(turn.take(1))
          yield* Scope.addFinalizer(yield* Effect.scope, turn.release(1))
          return connectionOf(within)
        })
      )
      return SqlClient.make({
        acquirer: Effect.succeed(alone),
        transactionAcquirer: reserved,
        compiler: makeCompilerSqlite(),
        beginTransaction: begin,
        spanAttributes: []
      })
    })
  ).pipe(Layer.provide(Reactivity.layer))
