/** How many connections PostgreSQL lets this user have. */
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { orSqlDefect } from "../database/sqlDefect.ts"

/**
 * The least of the limits of the role, of the database and of the server, which all who connect share; `undefined` if there is none: a
 * superuser passes by those of role and database, and a SQLite file has none.
 */
export const connectionLimit = (sql: SqlClient): Effect.Effect<number | undefined, SqlError> =>
  Effect.map(
    sql.onDialectOrElse({
      pg: () => sql<{ readonly most: number | null }>`
        SELECT min(most)::int AS most FROM (
          SELECT rolconnlimit AS most FROM pg_roles WHERE rolname = session_user
          UNION ALL SELECT datconnlimit FROM pg_database WHERE datname = current_database()
          UNION ALL SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
            - coalesce(current_setting('reserved_connections', true)::int, 0)
        ) AS limits
        WHERE most >= 0 AND NOT (SELECT rolsuper FROM pg_roles WHERE rolname = session_user)`,
      orElse: () => Effect.succeed<ReadonlyArray<{ readonly most: number | null }>>([])
    }),
    ([found]) => found?.most ?? undefined
  )

/** The same of the opened database, for the doctor. */
export const grantedConnections: Effect.Effect<number | undefined, never, SqlClient> = Effect.flatMap(SqlClient, (sql) =>
  orSqlDefect("asking for the limits of connections")(connectionLimit(sql))
)
