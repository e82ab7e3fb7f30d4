/** The second schema: a report is found by its id. */
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"

/** Adds the column and takes the ids of before out of the bodies, which begin with them. */
export const m0002ReportIds: Effect.Effect<void, SqlError, SqlClient> = Effect.flatMap(SqlClient, (sql) => {
  const idOfBody = sql.onDialectOrElse({
    // Not by its JSON functions: they refuse the whole body when any text in it has a NUL, and programs may print one.
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
