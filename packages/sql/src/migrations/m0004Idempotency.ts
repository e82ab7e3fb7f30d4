/** The fourth migration: answers stored under idempotency keys. */
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { columnTypes } from "./columnTypes.ts"

/** Creates the table with one row per project and key, and the index for expired keys. */
export const m0004Idempotency: Effect.Effect<void, SqlError, SqlClient> = Effect.flatMap(SqlClient, (sql) => {
  const { integer, strict } = columnTypes(sql)
  return Effect.forEach(
    [
      sql`CREATE TABLE idempotency_keys (
        project_id TEXT NOT NULL REFERENCES projects,
        idempotency_key TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        run_id TEXT NOT NULL,
        attempt_id TEXT NOT NULL,
        lease_end_ms ${integer} NOT NULL,
        expires_at_ms ${integer} NOT NULL,
        status ${integer},
        body TEXT,
        PRIMARY KEY (project_id, idempotency_key),
        CHECK ((status IS NULL) = (body IS NULL))
      ) ${strict}`,
      sql`CREATE INDEX idempotency_expiry ON idempotency_keys (expires_at_ms)`
    ],
    (statement) => statement.unprepared,
    { discard: true }
  )
})
