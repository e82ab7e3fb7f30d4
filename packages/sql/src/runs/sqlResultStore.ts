/** Completed runs: reports in pages, last results. */
import { SqlClient } from "@effect/sql/SqlClient"
import type { Statement } from "@effect/sql/Statement"
import { lastResultKeyOf, type PlacedReport, type ReportQuery, ResultStore } from "@sibyl/core"
import { Effect, Layer, Option } from "effect"
import { decodeReport } from "./reportBody.ts"
import { orSqlDefect } from "../database/sqlDefect.ts"

/** The columns that a report is decoded from. */
export interface ReportRow {
  readonly body: string
  readonly executed_at_ms: number | string
  readonly entry: number | string
}

/** The report of a row, with its position. */
export const placedOf = (row: ReportRow): PlacedReport => ({
  report: decodeReport(row.body),
  position: { executedAtMs: Number(row.executed_at_ms), sequence: Number(row.entry) }
})

/** The statement of one page: every page begins at its position in the index `reports_page`. */
export const pageStatement = (
  sql: SqlClient,
  { amount, before, drId, endMs, projectId, startMs }: ReportQuery
): Statement<ReportRow> => sql<ReportRow>`
  SELECT body, executed_at_ms, entry FROM reports
  WHERE ${sql.and([
    sql`project_id = ${projectId}`,
    sql`dr_id = ${drId}`,
    ...(startMs === undefined ? [] : [sql`executed_at_ms >= ${startMs}`]),
    ...(endMs === undefined ? [] : [sql`executed_at_ms < ${endMs}`]),
    ...(before === undefined ? [] : [sql`(executed_at_ms, entry) < (${before.executedAtMs}, ${before.sequence})`])
  ])}
  ORDER BY executed_at_ms DESC, entry DESC LIMIT ${amount}`

/** The result store. */
export const layerSqlResultStore: Layer.Layer<ResultStore, never, SqlClient> = Layer.effect(
  ResultStore,
  Effect.map(SqlClient, (sql) => {
    const successOnly = sql.literal("AND exit_code = 0")
    return {
      last: (projectId, key, mode) =>
        sql<ReportRow>`
          SELECT body, executed_at_ms, entry FROM reports
          WHERE project_id = ${projectId} AND request_key = ${lastResultKeyOf(key)}
            ${mode === "success" ? successOnly : sql.literal("")}
          ORDER BY executed_at_ms DESC, entry DESC LIMIT 1`.pipe(
          Effect.map(([row]) => Option.map(Option.fromNullable(row), (found) => placedOf(found).report)),
          orSqlDefect("reading a last result")
        ),
      find: (projectId, id) =>
        sql<ReportRow>`
          SELECT body, executed_at_ms, entry FROM reports
          WHERE project_id = ${projectId} AND id = ${id}`.pipe(
          Effect.map(([row]) => Option.map(Option.fromNullable(row), (found) => placedOf(found).report)),
          orSqlDefect("reading a report")
        ),
      newest: (projectId, amount) =>
        sql<ReportRow>`
          SELECT body, executed_at_ms, entry FROM reports
          WHERE project_id = ${projectId} ORDER BY entry DESC LIMIT ${amount}`.pipe(
          Effect.map((rows) => rows.map((row) => placedOf(row).report)),
          orSqlDefect("reading the newest reports")
        ),
      page: (query) =>
        pageStatement(sql, query).pipe(
          Effect.map((rows) => rows.map(placedOf)),
          orSqlDefect("reading reports")
        )
    }
  })
)
