/** Holds whose run will never come back: their lease is over, or their process is gone. */
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Effect } from "effect"
import { type Book, closeBook, openBook } from "./book.ts"
import { openHoldsUntil, resolveHold } from "./holds.ts"
import { transaction } from "./transaction.ts"

const returnHolds = (sql: SqlClient, book: Book, untilMs: number, kind: "void" | "expire") =>
  Effect.flatMap(openHoldsUntil(sql, book.projectId, untilMs), (holds) =>
    Effect.reduce(holds, book, (current, hold) => resolveHold(sql, current, hold, kind, 0n))
  )

/** Opens a project's book as it stands at `nowMs`: a hold is void from the end of its lease on, whoever looks first. */
export const openBookAt = (sql: SqlClient, projectId: string, nowMs: number): Effect.Effect<Book, SqlError> =>
  Effect.flatMap(openBook(sql, projectId), (book) => returnHolds(sql, book, nowMs, "expire"))

const projectsWithHolds = (sql: SqlClient, untilMs: number) =>
  Effect.map(
    sql<{ readonly project_id: string }>`
      SELECT DISTINCT project_id FROM holds WHERE state = 'held' AND lease_end_ms <= ${untilMs}`,
    (rows) => rows.map((row) => row.project_id)
  )

/** Returns the holds of every project whose lease is over, project by project. */
export const voidLapsedHolds: Effect.Effect<void, SqlError, SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient
  const nowMs = yield* Clock.currentTimeMillis
  yield* Effect.forEach(
    yield* projectsWithHolds(sql, nowMs),
    (projectId) =>
      transaction(
        sql,
        "returning lapsed holds",
        Effect.flatMap(openBookAt(sql, projectId, nowMs), (book) => closeBook(sql, book, nowMs))
      ),
    { discard: true }
  )
})

/** Returns every open hold of every project. Right only while nobody else has the database: the runs are gone then. */
export const voidOrphanedHolds: Effect.Effect<void, SqlError, SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient
  const nowMs = yield* Clock.currentTimeMillis
  yield* Effect.forEach(
    yield* projectsWithHolds(sql, Number.MAX_SAFE_INTEGER),
    (projectId) =>
      Effect.gen(function* () {
        const book = yield* openBookAt(sql, projectId, nowMs)
        yield* closeBook(sql, yield* returnHolds(sql, book, Number.MAX_SAFE_INTEGER, "void"), nowMs)
      }),
    { discard: true }
  )
})
