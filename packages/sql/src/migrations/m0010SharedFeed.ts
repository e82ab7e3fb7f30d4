/** The tenth migration: who owns a feed's schedule, and how far it has come. */
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { columnTypes } from "./columnTypes.ts"

/** Creates the table with one row per schedule; an owner that renews its lease changes no index. */
export const m0010SharedFeed: Effect.Effect<void, SqlError, SqlClient> = Effect.flatMap(SqlClient, (sql) => {
  const { integer, strict } = columnTypes(sql)
  return Effect.asVoid(
    sql`CREATE TABLE shared_feed (
      feed_key TEXT NOT NULL PRIMARY KEY,
      owner TEXT NOT NULL,
      term ${integer} NOT NULL,
      lease_until_ms ${integer} NOT NULL,
      epoch ${integer} NOT NULL,
      next_tick ${integer} NOT NULL CHECK (next_tick >= 0),
      seq ${integer} NOT NULL CHECK (seq >= 0)
    ) ${strict}`.unprepared
  )
})
