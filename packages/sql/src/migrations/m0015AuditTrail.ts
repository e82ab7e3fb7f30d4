/** The fifteenth migration: what operators changed. */
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { columnTypes } from "./columnTypes.ts"

/** Creates the table. `details` is a JSON object. */
export const m0015AuditTrail: Effect.Effect<void, SqlError, SqlClient> = Effect.flatMap(SqlClient, (sql) => {
  const { integer, strict } = columnTypes(sql)
  return sql`CREATE TABLE audit_trail (
    entry ${integer} PRIMARY KEY NOT NULL,
    at_ms ${integer} NOT NULL,
    changed_by TEXT NOT NULL,
    action TEXT NOT NULL,
    subject TEXT NOT NULL,
    details TEXT NOT NULL
  ) ${strict}`.unprepared
})
