/** Reads the snapshots of projects for one transaction, which has locked their accounts. */
import { type HoldRecord, type LedgerQuery, type LedgerSnapshot, periodKey, type PeriodUsage, usagePeriodsOf } from "@sibyl/core"
import { ask, askAll, type Plan } from "../database/plan.ts"
import type { AccountRow } from "./lockAccounts.ts"
import { among, type Query, query, words } from "../database/query.ts"
import { timeOfRow, type TimeRow } from "../runs/timeRows.ts"
import { type HoldRow, holdOfRow, holdRows } from "./sqlHolds.ts"

interface UsageRow {
  readonly project_id: string
  readonly period_ms: number | string
  readonly period_start_ms: number | string
  readonly credits: string
}

const holdColumns = words(holdRows.columns.join(", "))

/** Each alternative has an index. As a union of three, PostgreSQL plans for twice as long. */
const findHolds = ({ holdIds, leaseEndMs, projectIds }: LedgerQuery): Query => {
  const open = query`state = 'held' AND ${among("project_id", projectIds)}`
  const named = holdIds.length === 0 ? words("") : query`OR ${among("hold_id", holdIds)}`
  return query`
    SELECT ${holdColumns} FROM holds
    WHERE (${open} AND lease_end_ms <= ${leaseEndMs}) OR (${open} AND escrow IS NOT NULL) ${named}`
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

const findCharged = ({ projectIds, reportIds }: LedgerQuery): Query | undefined =>
  reportIds.length === 0
    ? undefined
    : query`
    SELECT project_id, id, drawn_hold_id FROM reports
    WHERE ${among("project_id", projectIds)} AND ${among("id", reportIds)}`

const findTimes = ({ drIds, projectIds }: LedgerQuery): Query | undefined =>
  drIds.length === 0
    ? undefined
    : query`
    SELECT project_id, dr_id, last_ms, owner, floor_ms FROM timestamps
    WHERE ${among("project_id", projectIds)} AND ${among("dr_id", drIds)}`

/** What is read under the locks on the accounts, which keep everybody else from changing it, and needs nothing that is read before. */
type Found = readonly [holds: ReadonlyArray<HoldRow>, charged: ReadonlyArray<ChargedRow>, times: ReadonlyArray<TimeRow>]

const byProject = <Row>(rows: ReadonlyArray<Row>, projectIdOf: (row: Row) => string): Map<string, Array<Row>> => {
  const groups = new Map<string, Array<Row>>()
  for (const row of rows) {
    const group = groups.get(projectIdOf(row))
    if (group === undefined) groups.set(projectIdOf(row), [row])
    else group.push(row)
  }
  return groups
}

/** The snapshots of the projects whose accounts are locked, by id. */
export function* readSnapshots(accounts: ReadonlyArray<AccountRow>, asked: LedgerQuery): Plan<ReadonlyMap<string, LedgerSnapshot>> {
  const [holdsFound, charged, timesFound] = yield* askAll<Found>(findHolds(asked), findCharged(asked), findTimes(asked))
  const allHolds = holdsFound.map(holdOfRow)
  const holds = byProject(allHolds, ({ projectId }) => projectId)
  const usage = byProject(yield* readUsage(allHolds, asked), (row) => row.project_id)
  const reports = byProject(charged, (row) => row.project_id)
  const times = byProject(timesFound, (row) => row.project_id)
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
