/** The fifth migration: registered data proxies. */
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { columnTypes } from "./columnTypes.ts"

/** Creates the table with one row per key; the fee is decimal text, like all credits. */
export const m0005DataProxies: Effect.Effect<void, SqlError, SqlClient> = Effect.flatMap(SqlClient, (sql) => {
  const { integer, strict } = columnTypes(sql)
  return Effect.asVoid(
    sql`CREATE TABLE data_proxies (
      public_key TEXT NOT NULL PRIMARY KEY,
      name TEXT NOT NULL,
      fee_credits TEXT NOT NULL,
      active ${integer} NOT NULL CHECK (active IN (0, 1)),
      registered_at_ms ${integer} NOT NULL
    ) ${strict}`.unprepared
  )
})
