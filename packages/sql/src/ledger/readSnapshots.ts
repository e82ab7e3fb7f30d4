/** Reads the snapshots of projects for one transaction, and locks these projects' credits until it ends. */
import { type HoldRecord, type LedgerQuery, type LedgerSnapshot, periodKey, type PeriodUsage, usagePeriodsOf } from "@sibyl/core"
import { ask, type Plan } from "../database/plan.ts"
import { among, type Dialect, query, locking, words } from "../database/query.ts"
import { timeOfRow, type TimeRow } from "../runs/timeRows.ts"
import { type HoldRow, holdOfRow, holdRows } from "./sqlHolds.ts"

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
const lockAccounts = (dialect: Dialect, projectIds: ReadonlyArray<string>) =>
  ask<AccountRow>(query`
    SELECT project_id, granted, used, held, last_entry FROM accounts
    WHERE ${among("project_id", projectIds)} ORDER BY project_id ${locking(dialect)}`)

const holdColumns = words(holdRows.columns.join(", "))

function* readHolds({ holdIds, leaseEndMs, projectIds }: LedgerQuery): Plan<ReadonlyArray<HoldRecord>> {
  const ofProjects = among("project_id", projectIds)
  const open = query`
    SELECT ${holdColumns} FROM holds WHERE state = 'held' AND lease_end_ms <= ${leaseEndMs} AND ${ofProjects}
    UNION SELECT ${holdColumns} FROM holds WHERE state = 'held' AND escrow IS NOT NULL AND ${ofProjects}`
  const wanted = holdIds.length === 0 ? open : query`SELECT ${holdColumns} FROM holds WHERE ${among("hold_id", holdIds)} UNION ${open}`
  return (yield* ask<HoldRow>(wanted)).map(holdOfRow)
}

function* readUsage(holds: ReadonlyArray<HoldRecord>, asked: LedgerQuery): Plan<ReadonlyArray<UsageRow>> {
  const { periodsMs, startsMs } = usagePeriodsOf(holds, asked)
  if (periodsMs.length === 0 || startsMs.length === 0) return []
  return yield* ask<UsageRow>(query`
    SELECT project_id, period_ms, period_start_ms, credits FROM usage_periods
    WHERE ${among("project_id", asked.projectIds)} AND ${among("period_ms", periodsMs)}
      AND ${among("period_start_ms", startsMs)}`)
}

const usageOfRow = (row: UsageRow): readonly [string, PeriodUsage] => {
  const period = { periodMs: Number(row.period_ms), startMs: Number(row.period_start_ms) }
  return [periodKey(period), { period, credits: BigInt(row.credits) }]
}

interface ChargedRow {
  readonly project_id: string
  readonly id: string
  readonly drawn_hold_id: string | null
}

function* readCharged({ projectIds, reportIds }: LedgerQuery): Plan<ReadonlyArray<ChargedRow>> {
  if (reportIds.length === 0) return []
  return yield* ask<ChargedRow>(query`
    SELECT project_id, id, drawn_hold_id FROM reports
    WHERE ${among("project_id", projectIds)} AND ${among("id", reportIds)}`)
}

/** The locks on the accounts keep everybody else from changing them. */
function* readTimes({ drIds, projectIds }: LedgerQuery): Plan<ReadonlyArray<TimeRow>> {
  if (drIds.length === 0) return []
  return yield* ask<TimeRow>(query`
    SELECT project_id, dr_id, last_ms, owner, floor_ms FROM timestamps
    WHERE ${among("project_id", projectIds)} AND ${among("dr_id", drIds)}`)
}

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
export function* readSnapshots(dialect: Dialect, asked: LedgerQuery): Plan<ReadonlyMap<string, LedgerSnapshot>> {
  const accounts = yield* lockAccounts(dialect, asked.projectIds)
  const allHolds = yield* readHolds(asked)
  const holds = byProject(allHolds, ({ projectId }) => projectId)
  const usage = byProject(yield* readUsage(allHolds, asked), (row) => row.project_id)
  const reports = byProject(yield* readCharged(asked), (row) => row.project_id)
  const times = byProject(yield* readTimes(asked), (row) => row.project_id)
  const snapshotOf = ({ granted, held, last_entry, project_id, used }: AccountRow): LedgerSnapshot => ({
    projectId: project_id,
    account: { granted: BigInt(granted), used: BigInt(used), held: BigInt(held) },
    lastEntry: Number(last_entry),
    holds: new Map((holds.get(project_id) ?? []).map((hold) => [hold.holdId, hold])),
    usage: new Map((usage.get(project_id) ?? []).map(usageOfRow)),
    charged: new Map((reports.get(project_id) ?? []).map(({ drawn_hold_id, id }) => [id, drawn_hold_id])),
    times: new Map((times.get(project_id) ?? []).map((row) => [row.dr_id, timeOfRow(row)]))
  })
  return new Map(accounts.map((row) => [row.project_id, snapshotOf(row)]))
}
