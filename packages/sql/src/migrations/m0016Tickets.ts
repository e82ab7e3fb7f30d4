/** The sixteenth migration: tickets, with which browsers get in. */
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { columnTypes } from "./columnTypes.ts"

/** Creates the table: one row per ticket until it is spent, and the indexes for the rows of a project and for those that may go. */
export const m0016Tickets: Effect.Effect<void, SqlError, SqlClient> = Effect.flatMap(SqlClient, (sql) => {
  const { integer, strict } = columnTypes(sql)
  return Effect.forEach(
    [
      sql`CREATE TABLE tickets (
        ticket_id TEXT NOT NULL PRIMARY KEY,
        project_id TEXT NOT NULL REFERENCES projects,
        api_key_id TEXT NOT NULL,
        hash TEXT NOT NULL,
        terms TEXT NOT NULL,
        expires_at_ms ${integer} NOT NULL,
        uses_left ${integer} NOT NULL CHECK (uses_left >= 0),
        credits_left TEXT CHECK (credits_left <> '' AND credits_left NOT LIKE '-%'),
        kept_until_ms ${integer} NOT NULL
      ) ${strict}`,
      sql`CREATE INDEX tickets_of_project ON tickets (project_id)`,
      sql`CREATE INDEX tickets_kept ON tickets (kept_until_ms)`
    ],
    (statement) => statement.unprepared,
    { discard: true }
  )
})
