/** Whether a database has a table, asked without an error where it has none. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"

/** Looks a table up by its name. */
export const hasTable = (sql: SqlClient, name: string): Effect.Effect<boolean, SqlError> =>
  Effect.map(
    sql.onDialectOrElse({
      pg: () => sql`
        SELECT 1 AS found FROM pg_tables WHERE schemaname = ANY (current_schemas(false)) AND tablename = ${name}`,
      orElse: () => sql`SELECT 1 AS found FROM sqlite_master WHERE type = 'table' AND name = ${name}`
    }),
    (rows) => rows.length > 0
  )
