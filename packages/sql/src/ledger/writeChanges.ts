/** Writes the decided changes of credits, in few statements for any number of projects and changes. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { LedgerChanges, PostedReport } from "@sibyl/core"
import { Effect } from "effect"
import { insertRows, type Row, type RowShape } from "../database/manyRows.ts"
import { keepStorage, type OwnedWrite } from "../runs/sqlProgramStorage.ts"
import { reportRow, reportRows } from "../runs/sqlResultStore.ts"
import { insertHolds, markHolds, renewHolds } from "./sqlHolds.ts"

const usageRows: RowShape = {
  table: "usage_periods",
  columns: ["project_id", "period_ms", "period_start_ms", "credits"],
  onConflict: "ON CONFLICT (project_id, period_ms, period_start_ms) DO UPDATE SET credits = excluded.credits"
}

const journalRows: RowShape = {
  table: "journal",
  columns: ["project_id", "entry", "kind", "credits", "hold_id", "at_ms"]
}

const accountRows: RowShape = {
  table: "accounts",
  columns: ["project_id", "granted", "used", "held", "last_entry"],
  onConflict:
    "ON CONFLICT (project_id) DO UPDATE SET granted = excluded.granted, used = excluded.used, held = excluded.held, " +
    "last_entry = excluded.last_entry"
}

const writesOf = ({ report: { dataRequest, projectId }, storage }: PostedReport): ReadonlyArray<OwnedWrite> =>
  storage.map((write) => ({ ...write, projectId, programId: dataRequest.execProgramId }))

const usageRowsOf = ({ projectId, usage }: LedgerChanges): ReadonlyArray<Row> =>
  usage.map(({ credits, period }) => [projectId, period.periodMs, period.startMs, `${credits}`])

const journalRowsOf = ({ entries, projectId }: LedgerChanges): ReadonlyArray<Row> =>
  entries.map(({ atMs, credits, entry, holdId, kind }) => [projectId, entry, kind, `${credits}`, holdId, atMs])

const accountRow = ({ account, lastEntry, projectId }: LedgerChanges): Row => [
  projectId,
  `${account.granted}`,
  `${account.used}`,
  `${account.held}`,
  lastEntry
]

/** Writes the changes of projects. */
export const writeChanges = (sql: SqlClient, changes: ReadonlyArray<LedgerChanges>): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    const resolved = changes.flatMap(({ resolved }) => resolved)
    const reports = changes.flatMap(({ reports }) => reports)
    // Holds come before the journal, and the journal before the reports, because of the foreign keys.
    yield* insertHolds(
      sql,
      changes.flatMap(({ taken }) => taken)
    )
    yield* renewHolds(
      sql,
      changes.flatMap(({ renewed }) => renewed)
    )
    yield* markHolds(sql, resolved, "posted")
    yield* markHolds(sql, resolved, "voided")
    yield* insertRows(sql, usageRows, changes.flatMap(usageRowsOf))
    yield* insertRows(sql, journalRows, changes.flatMap(journalRowsOf))
    yield* insertRows(sql, accountRows, changes.map(accountRow))
    yield* insertRows(sql, reportRows, reports.map(reportRow))
    yield* keepStorage(sql, reports.flatMap(writesOf))
  })
