/** The third migration: display names and dates, the last use of keys, and the lists that an operator reads. */
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { columnTypes } from "./columnTypes.ts"

/** Adds the columns; an existing organization gets the date of its first project. */
export const m0003Accounts: Effect.Effect<void, SqlError, SqlClient> = Effect.flatMap(SqlClient, (sql) => {
  const { integer } = columnTypes(sql)
  return Effect.forEach(
    [
      sql`ALTER TABLE organizations ADD COLUMN name TEXT`,
      sql`ALTER TABLE organizations ADD COLUMN created_at_ms ${integer} NOT NULL DEFAULT 0`,
      sql`UPDATE organizations SET created_at_ms = COALESCE((
        SELECT MIN(projects.created_at_ms) FROM projects
        WHERE projects.organization_id = organizations.organization_id), 0)`,
      sql`ALTER TABLE projects ADD COLUMN name TEXT`,
      sql`ALTER TABLE api_keys ADD COLUMN name TEXT`,
      sql`ALTER TABLE api_keys ADD COLUMN last_used_at_ms ${integer}`,
      sql`CREATE INDEX projects_of_organization ON projects (organization_id)`,
      sql`CREATE INDEX api_keys_of_project ON api_keys (project_id)`
    ],
    (statement) => statement.unprepared,
    { discard: true }
  )
})
