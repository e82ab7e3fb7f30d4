/** Deletes old reports. */
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Retention } from "@sibyl/core"
import { Effect, Layer } from "effect"
import { orSqlDefect } from "../database/sqlDefect.ts"

/** Whether there is a later report of the same request among those that `also` selects. */
const followed = (sql: SqlClient, also: "" | "AND newer.exit_code = 0") => sql`
  EXISTS (SELECT 1 FROM reports AS newer WHERE newer.project_id = old.project_id
    AND newer.request_key = old.request_key ${sql.literal(also)}
    AND (newer.executed_at_ms, newer.entry) > (old.executed_at_ms, old.entry))`

/** Neither the last report of its request nor its last success. */
const replaced = (sql: SqlClient) => sql`${followed(sql, "")} AND (exit_code <> 0 OR ${followed(sql, "AND newer.exit_code = 0")})`

/** A report is deleted if a later one is the last of its request and, if it was a success, a later one is the last success. */
const sweep = (sql: SqlClient, beforeMs: number, maxReports: number) => sql`
  DELETE FROM reports WHERE (project_id, entry) IN (
    SELECT project_id, entry FROM reports AS old
    WHERE executed_at_ms < ${beforeMs} AND ${replaced(sql)}
    ORDER BY executed_at_ms LIMIT ${maxReports})
  RETURNING entry`

/** Whether a project still has a report of an earlier entry, begun before `beforeMs`, that retention would have deleted by now. */
export const anyReplaced = (sql: SqlClient, projectId: string, entry: number, beforeMs: number): Effect.Effect<boolean, SqlError> =>
  Effect.map(
    sql`SELECT entry FROM reports AS old
      WHERE old.project_id = ${projectId} AND old.entry < ${entry} AND executed_at_ms < ${beforeMs} AND ${replaced(sql)} LIMIT 1`,
    (rows) => rows.length > 0
  )

interface Share {
  readonly project_id: string
  readonly last_entry: number | string | null
}

/** The newest report beyond each project's share. A run has at least one journal entry, so few projects have to be counted. */
const shares = (sql: SqlClient, keptOfProject: number) => sql<Share>`
  SELECT accounts.project_id, (
    SELECT kept.entry FROM reports AS kept WHERE kept.project_id = accounts.project_id
    ORDER BY kept.entry DESC LIMIT 1 OFFSET ${keptOfProject}) AS last_entry
  FROM accounts WHERE accounts.last_entry > ${keptOfProject}`

/** In the order of the primary key, so that the statement ends with the last report that it deletes. */
const trimProject = (sql: SqlClient, { last_entry, project_id }: Share, maxReports: number) => sql`
  DELETE FROM reports WHERE (project_id, entry) IN (
    SELECT old.project_id, old.entry FROM reports AS old
    WHERE old.project_id = ${project_id} AND old.entry <= ${last_entry} AND ${replaced(sql)}
    ORDER BY old.entry LIMIT ${maxReports})
  RETURNING entry`

const trim = (sql: SqlClient, keptOfProject: number, maxReports: number): Effect.Effect<number, SqlError> =>
  Effect.gen(function* () {
    let trimmed = 0
    for (const share of yield* shares(sql, keptOfProject)) {
      if (share.last_entry === null || trimmed >= maxReports) continue
      trimmed += (yield* trimProject(sql, share, maxReports - trimmed)).length
    }
    return trimmed
  })

/** Retention over the reports. */
export const layerSqlRetention: Layer.Layer<Retention, never, SqlClient> = Layer.effect(
  Retention,
  Effect.map(SqlClient, (sql) => ({
    sweep: (beforeMs, maxReports) =>
      Effect.map(sweep(sql, beforeMs, maxReports), (rows) => rows.length).pipe(orSqlDefect("sweeping old reports")),
    trim: (keptOfProject, maxReports) => orSqlDefect("trimming reports")(trim(sql, keptOfProject, maxReports))
  }))
)
