/** Writes the decided changes of credits, in few statements for any number of projects and changes. */
import type { LedgerChanges, PostedReport } from "@sibyl/core"
import type { Plan } from "../database/plan.ts"
import type { Dialect } from "../database/query.ts"
import { insertRows, type Row, type RowShape } from "../database/manyRows.ts"
import { keepAnswers } from "../runs/keepAnswers.ts"
import { keepStorage, type OwnedWrite } from "../runs/keepStorage.ts"
import { reportRowOf, reportRows, type WrittenReport } from "../runs/writtenReport.ts"
import { timeRows, timeRowsOf } from "../runs/timeRows.ts"
import { changeHolds, insertHolds, markHolds } from "./sqlHolds.ts"

type Changes = LedgerChanges<WrittenReport>

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

const writesOf = ({ report: { execProgramId, projectId }, storage }: PostedReport<WrittenReport>): ReadonlyArray<OwnedWrite> =>
  storage.map((write) => ({ ...write, projectId, programId: execProgramId }))

const usageRowsOf = ({ projectId, usage }: Changes): ReadonlyArray<Row> =>
  usage.map(({ credits, period }) => [projectId, period.periodMs, period.startMs, `${credits}`])

const journalRowsOf = ({ entries, projectId }: Changes): ReadonlyArray<Row> =>
  entries.map(({ atMs, credits, entry, holdId, kind }) => [projectId, entry, kind, `${credits}`, holdId, atMs])

const accountRow = ({ account, lastEntry, projectId }: Changes): Row => [
  projectId,
  `${account.granted}`,
  `${account.used}`,
  `${account.held}`,
  lastEntry
]

/** Writes the changes of projects. */
export function* writeChanges(dialect: Dialect, changes: ReadonlyArray<Changes>): Plan<void> {
  const resolved = changes.flatMap((change) => change.resolved)
  const reports = changes.flatMap((change) => change.reports)
  // Holds come before the journal, and the journal before the reports, because of the foreign keys.
  yield* insertHolds(
    dialect,
    changes.flatMap(({ taken }) => taken)
  )
  // An escrow ends with another amount than it was taken with.
  yield* changeHolds(dialect, [...changes.flatMap(({ changed }) => changed), ...resolved.filter(({ escrow }) => escrow !== null)])
  yield* markHolds(resolved, "posted")
  yield* markHolds(resolved, "voided")
  yield* insertRows(dialect, usageRows, changes.flatMap(usageRowsOf))
  yield* insertRows(dialect, journalRows, changes.flatMap(journalRowsOf))
  yield* insertRows(dialect, accountRows, changes.map(accountRow))
  yield* insertRows(dialect, reportRows, reports.map(reportRowOf))
  yield* insertRows(dialect, timeRows, changes.flatMap(timeRowsOf))
  yield* keepAnswers(reports)
  yield* keepStorage(dialect, reports.flatMap(writesOf))
}
