/** Reads the snapshots of projects for one transaction, and locks these projects' credits until it ends. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { type HoldRecord, type LedgerQuery, type LedgerSnapshot, periodKey, type PeriodUsage, usagePeriodsOf } from "@sibyl/core"
import { Effect } from "effect"
import { type HoldRow, holdOfRow, holdRows } from "./sqlHolds.ts"
import { among } from "../database/manyRows.ts"
import { forUpdate } from "../database/transaction.ts"

interface AccountRow {
  readonly project_id: string
  readonly granted: string
  readonly used: string
  readonly held: string
  readonly last_entry: number | string
}

interface UsageRow {
  readonly project_id: string
  readonly period_ms: number | string
  readonly period_start_ms: number | string
  readonly credits: string
}

/** Locks in the order of the ids, to prevent deadlocks. */
const lockAccounts = (sql: SqlClient, projectIds: ReadonlyArray<string>) =>
  sql<AccountRow>`
    SELECT project_id, granted, used, held, last_entry FROM accounts
    WHERE ${among(sql, "project_id", projectIds)} ORDER BY project_id ${forUpdate(sql)}`

const readHolds = (sql: SqlClient, { holdIds, leaseEndMs, projectIds }: LedgerQuery) => {
  const columns = sql.literal(holdRows.columns.join(", "))
  const lapsed = sql`
    SELECT ${columns} FROM holds
    WHERE state = 'held' AND lease_end_ms <= ${leaseEndMs} AND ${among(sql, "project_id", projectIds)}`
  const rows =
    holdIds.length === 0
      ? sql<HoldRow>`${lapsed}`
      : sql<HoldRow>`SELECT ${columns} FROM holds WHERE ${among(sql, "hold_id", holdIds)} UNION ${lapsed}`
  return Effect.map(rows, (found) => found.map(holdOfRow))
}

const readUsage = (sql: SqlClient, holds: ReadonlyArray<HoldRecord>, query: LedgerQuery) => {
  const { periodsMs, startsMs } = usagePeriodsOf(holds, query)
  if (periodsMs.length === 0 || startsMs.length === 0) return Effect.succeed([])
  return sql<UsageRow>`
    SELECT project_id, period_ms, period_start_ms, credits FROM usage_periods
    WHERE ${among(sql, "project_id", query.projectIds)} AND ${among(sql, "period_ms", periodsMs)}
      AND ${among(sql, "period_start_ms", startsMs)}`
}

const usageOfRow = (row: UsageRow): readonly [string, PeriodUsage] => {
  const period = { periodMs: Number(row.period_ms), startMs: Number(row.period_start_ms) }
  return [periodKey(period), { period, credits: BigInt(row.credits) }]
}

const readReportIds = (sql: SqlClient, { projectIds, reportIds }: LedgerQuery) =>
  reportIds.length === 0
    ? Effect.succeed([])
    : sql<{ readonly project_id: string; readonly id: string }>`
        SELECT project_id, id FROM reports
        WHERE ${among(sql, "project_id", projectIds)} AND ${among(sql, "id", reportIds)}`

const byProject = <Row>(rows: ReadonlyArray<Row>, projectIdOf: (row: Row) => string): Map<string, Array<Row>> => {
  const groups = new Map<string, Array<Row>>()
  for (const row of rows) {
    const group = groups.get(projectIdOf(row))
    if (group === undefined) groups.set(projectIdOf(row), [row])
    else group.push(row)
  }
  return groups
}

/** The snapshots of the projects that exist, by id. At least one project must be requested. */
export const readSnapshots = (sql: SqlClient, query: LedgerQuery): Effect.Effect<ReadonlyMap<string, LedgerSnapshot>, SqlError> =>
  Effect.gen(function* () {
    const accounts = yield* lockAccounts(sql, query.projectIds)
    const allHolds = yield* readHolds(sql, query)
    const holds = byProject(allHolds, ({ projectId }) => projectId)
    const usage = byProject(yield* readUsage(sql, allHolds, query), (row) => row.project_id)
    const reports = byProject(yield* readReportIds(sql, query), (row) => row.project_id)
    const snapshotOf = ({ granted, held, last_entry, project_id, used }: AccountRow): LedgerSnapshot => ({
      projectId: project_id,
      account: { granted: BigInt(granted), used: BigInt(used), held: BigInt(held) },
      lastEntry: Number(last_entry),
      holds: new Map((holds.get(project_id) ?? []).map((hold) => [hold.holdId, hold])),
      usage: new Map((usage.get(project_id) ?? []).map(usageOfRow)),
      reportIds: new Set((reports.get(project_id) ?? []).map(({ id }) => id))
    })
    return new Map(accounts.map((row) => [row.project_id, snapshotOf(row)]))
  })
