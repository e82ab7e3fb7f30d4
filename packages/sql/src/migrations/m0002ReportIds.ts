/** The second migration: reports are found by id. */
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"

/** Adds the column and fills it for existing reports from their bodies, which begin with the id. */
export const m0002ReportIds: Effect.Effect<void, SqlError, SqlClient> = Effect.flatMap(SqlClient, (sql) => {
  const idOfBody = sql.onDialectOrElse({
    // Not with JSON functions: they refuse a body with a NUL in any text, which programs may print.
    pg: () => sql.literal(`substring(body from '^\\{"id":"([^"\\\\]*)"')`),
    orElse: () => sql.literal(`json_extract(body, '$.id')`)
  })
  return Effect.forEach(
    [
      sql`ALTER TABLE reports ADD COLUMN id TEXT`,
      sql`UPDATE reports SET id = ${idOfBody}`,
      sql`CREATE UNIQUE INDEX reports_id ON reports (project_id, id)`
    ],
    (statement) => statement.unprepared,
    { discard: true }
  )
})
