/** The eleventh migration: servers choose the timestamps of results, and charges confirm them. */
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { columnTypes } from "./columnTypes.ts"

/**
 * Adds to the last timestamp of a drId the server that chose it, and the time up to which the choices of that server do not stand. A server
 * of an older version would change the last timestamp alone: because the column has another name now, its statement fails instead.
 */
export const m0011TimesOfServers: Effect.Effect<void, SqlError, SqlClient> = Effect.flatMap(SqlClient, (sql) =>
  Effect.forEach(
    [
      sql`ALTER TABLE timestamps RENAME COLUMN timestamp_ms TO last_ms`,
      sql`ALTER TABLE timestamps ADD COLUMN owner TEXT`,
      sql`ALTER TABLE timestamps ADD COLUMN floor_ms ${columnTypes(sql).integer} NOT NULL DEFAULT 0`
    ],
    (statement) => statement.unprepared,
    { discard: true }
  )
)
