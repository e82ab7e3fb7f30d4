/** Whether a database has a table, without an error if it does not. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"

/** Looks up a table by name. */
export const hasTable = (sql: SqlClient, name: string): Effect.Effect<boolean, SqlError> =>
  Effect.map(
    sql.onDialectOrElse({
      pg: () => sql`
        SELECT 1 AS found FROM pg_tables WHERE schemaname = ANY (current_schemas(false)) AND tablename = ${name}`,
      orElse: () => sql`SELECT 1 AS found FROM sqlite_master WHERE type = 'table' AND name = ${name}`
    }),
    (rows) => rows.length > 0
  )
