/** The seventh migration: program names. */
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { columnTypes } from "./columnTypes.ts"

/**
 * Creates the table with one row per change: the last one of a name applies; a null program means that the name was removed. The owner is a
 * project's id, or empty for the service.
 */
export const m0007ProgramNames: Effect.Effect<void, SqlError, SqlClient> = Effect.flatMap(SqlClient, (sql) => {
  const { integer, strict } = columnTypes(sql)
  return Effect.asVoid(
    sql`CREATE TABLE program_names (
      owner TEXT NOT NULL,
      name TEXT NOT NULL,
      change_number ${integer} NOT NULL,
      program_id TEXT,
      since_ms ${integer} NOT NULL,
      PRIMARY KEY (owner, name, change_number)
    ) ${strict}`.unprepared
  )
})
