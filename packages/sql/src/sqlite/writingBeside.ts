/** A client of a SQLite file that reads on this thread and writes on another, so that the event loop never waits for the disk. */
import type { Reactivity } from "@effect/experimental/Reactivity"
import type * as SqlClient from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect, type Scope } from "effect"
import { runningProcedures } from "../database/procedure.ts"
import { attempt, begin, connectionOf, makeClient, type Rows, type SqliteClient, sqlErrorOf } from "./sqliteClient.ts"
import { errorOf, type Order } from "./writer/messages.ts"
import { WriterThread, type WriterThreadOptions } from "./writer/writerThread.ts"

/** A statement that begins with this reads; no function of SQLite that we use writes. */
const isRead = (text: string): boolean => /^\s*SELECT\b/i.test(text)

/** An order's outcome. An interrupted caller's order is dropped, unless it has begun. */
const carriedOut = (thread: WriterThread, order: Order): Effect.Effect<unknown, SqlError> =>
  Effect.async((resume) => {
    const takeBack = thread.send(order, (outcome) =>
      resume("fault" in outcome ? Effect.fail(sqlErrorOf(errorOf(outcome.fault))) : Effect.succeed(outcome.value))
    )
    return Effect.sync(takeBack)
  })

const rowsBy = (thread: WriterThread, order: Order): Effect.Effect<ReadonlyArray<object>, SqlError> =>
  carriedOut(thread, order) as Effect.Effect<ReadonlyArray<object>, SqlError>

/** Statements by themselves: reads at once, with what is committed; writes share transactions with others. */
const single = ({ connection, file }: SqliteClient, thread: WriterThread): Connection => {
  const rows: Rows = (text, values) =>
    isRead(text) ? file.patiently(attempt(() => connection.rows(text, values))) : rowsBy(thread, { kind: "statement", text, values })
  return connectionOf(rows, rows)
}

/** The connection for a transaction, or for a caller that reserves it. What it leaves open is rolled back with the scope. */
const reserved = (thread: WriterThread, nextTransaction: () => number): Connection.Acquirer =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync((): { open: number | undefined } => ({ open: undefined })),
      (mine) => (mine.open === undefined ? Effect.void : Effect.ignore(rowsBy(thread, { kind: "rollback", transaction: mine.open })))
    ),
    (mine) => {
      const rows: Rows = (text, values) =>
        rowsBy(
          thread,
          mine.open === undefined ? { kind: "statement", text, values } : { kind: "within", transaction: mine.open, text, values }
        )
      const beginOne = Effect.suspend(() => {
        const transaction = nextTransaction()
        return Effect.tap(rowsBy(thread, { kind: "begin", transaction }), () => Effect.sync(() => void (mine.open = transaction)))
      })
      const endOne = (kind: "commit" | "rollback") =>
        Effect.suspend(() => {
          const { open } = mine
          mine.open = undefined
          return open === undefined ? Effect.succeed([]) : rowsBy(thread, { kind, transaction: open })
        })
      return connectionOf(rows, (text, values) => {
        if (text === begin) return Effect.uninterruptible(beginOne)
        if (text === "COMMIT") return Effect.uninterruptible(endOne("commit"))
        return text === "ROLLBACK" ? Effect.uninterruptible(endOne("rollback")) : rows(text, values)
      })
    }
  )

/** Turns an open database into one that reads here and writes on a thread of its own, which ends with the scope. */
export const writingBeside = (
  sqlite: SqliteClient,
  options: Omit<WriterThreadOptions, "onAnswers">
): Effect.Effect<SqlClient.SqlClient, SqlError, Scope.Scope | Reactivity> =>
  Effect.gen(function* () {
    yield* sqlite.exec("PRAGMA query_only = ON")
    const thread = yield* Effect.acquireRelease(
      Effect.sync(() => new WriterThread({ ...options, onAnswers: sqlite.version.forget })),
      (opened) => Effect.promise(() => opened.close())
    )
    let transactions = 0
    const nextTransaction = (): number => (transactions += 1)
    const client = yield* makeClient(single(sqlite, thread), reserved(thread, nextTransaction))
    return runningProcedures(client, { elsewhere: (name, input) => carriedOut(thread, { kind: "procedure", name, input }) })
  })
