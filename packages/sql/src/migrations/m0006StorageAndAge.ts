/** The sixth migration: the storage of programs, and an index of reports by age. */
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { columnTypes } from "./columnTypes.ts"

/** Creates the table with one row per storage key, key and value in hex, and the index for the sweep of old reports. */
export const m0006StorageAndAge: Effect.Effect<void, SqlError, SqlClient> = Effect.flatMap(SqlClient, (sql) => {
  const { strict } = columnTypes(sql)
  return Effect.forEach(
    [
      sql`CREATE TABLE program_storage (
        project_id TEXT NOT NULL REFERENCES projects,
        program_id TEXT NOT NULL,
        storage_key TEXT NOT NULL,
        storage_value TEXT NOT NULL,
        PRIMARY KEY (project_id, program_id, storage_key)
      ) ${strict}`,
      sql`CREATE INDEX reports_age ON reports (executed_at_ms)`
    ],
    (statement) => statement.unprepared,
    { discard: true }
  )
})
