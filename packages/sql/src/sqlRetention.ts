/** Letting go of old reports. */
import { SqlClient } from "@effect/sql/SqlClient"
import { Retention } from "@sibyl/core"
import { Effect, Layer } from "effect"
import { orSqlDefect } from "./sqlDefect.ts"

/** Whether a later report of the same request is there, of those that `also` lets count. */
const followed = (sql: SqlClient, also: "" | "AND newer.exit_code = 0") => sql`
  EXISTS (SELECT 1 FROM reports AS newer WHERE newer.project_id = old.project_id
    AND newer.request_key = old.request_key ${sql.literal(also)}
    AND (newer.executed_at_ms, newer.entry) > (old.executed_at_ms, old.entry))`

/** A report goes when a later one is the last of its request, and, if it was a success, a later one the last success. */
const sweep = (sql: SqlClient, beforeMs: number, maxReports: number) => sql`
  DELETE FROM reports WHERE (project_id, entry) IN (
    SELECT project_id, entry FROM reports AS old
    WHERE executed_at_ms < ${beforeMs} AND ${followed(sql, "")}
      AND (exit_code <> 0 OR ${followed(sql, "AND newer.exit_code = 0")})
    ORDER BY executed_at_ms LIMIT ${maxReports})
  RETURNING entry`

/** Retention over the reports. */
export const layerSqlRetention: Layer.Layer<Retention, never, SqlClient> = Layer.effect(
  Retention,
  Effect.map(SqlClient, (sql) => ({
    sweep: (beforeMs, maxReports) =>
      Effect.map(sweep(sql, beforeMs, maxReports), (rows) => rows.length).pipe(orSqlDefect("sweeping old reports"))
  }))
)
