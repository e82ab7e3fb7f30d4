/** Opens the books of projects for one transaction: nobody else changes these projects' credits until it ends. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import {
  type Book,
  type HoldState,
  noChanges,
  periodKey,
  type PeriodUsage,
  type StoredHold,
  usagePeriodAt
} from "./book.ts"
import { among } from "./manyRows.ts"
import { forUpdate } from "./transaction.ts"

/** What a transaction has to know. */
export interface BooksWish {
  readonly projectIds: ReadonlyArray<string>
  readonly holdIds: ReadonlyArray<string>
  readonly reportIds: ReadonlyArray<string>
  /** Open holds whose lease ends until then are read too. */
  readonly leaseEndMs: number
  /** The times at which operations are done. */
  readonly atMs: ReadonlyArray<number>
  /** Lengths of the usage limits' periods. */
  readonly periodsMs: ReadonlyArray<number>
}

interface AccountRow {
  readonly project_id: string
  readonly granted: string
  readonly used: string
  readonly held: string
  readonly last_entry: number | string
}

interface HoldRow {
  readonly hold_id: string
  readonly project_id: string
  readonly amount: string
  readonly state: HoldState
  readonly lease_end_ms: number | string
  readonly period_ms: number | string | null
  readonly period_start_ms: number | string | null
}

interface UsageRow {
  readonly project_id: string
  readonly period_ms: number | string
  readonly period_start_ms: number | string
  readonly credits: string
}

const holdOfRow = (row: HoldRow): StoredHold => ({
  holdId: row.hold_id,
  projectId: row.project_id,
  amount: BigInt(row.amount),
  state: row.state,
  leaseEndMs: Number(row.lease_end_ms),
  period: row.period_ms === null ? null : { periodMs: Number(row.period_ms), startMs: Number(row.period_start_ms) }
})

/** Locks in the order of the ids, so that two transactions never wait for each other. */
const lockAccounts = (sql: SqlClient, projectIds: ReadonlyArray<string>) =>
  sql<AccountRow>`
    SELECT project_id, granted, used, held, last_entry FROM accounts
    WHERE ${among(sql, "project_id", projectIds)} ORDER BY project_id ${forUpdate(sql)}`

const readHolds = (sql: SqlClient, { holdIds, leaseEndMs, projectIds }: BooksWish) => {
  const columns = sql.literal("hold_id, project_id, amount, state, lease_end_ms, period_ms, period_start_ms")
  const lapsed = sql`
    SELECT ${columns} FROM holds
    WHERE state = 'held' AND lease_end_ms <= ${leaseEndMs} AND ${among(sql, "project_id", projectIds)}`
  const rows =
    holdIds.length === 0
      ? sql<HoldRow>`${lapsed}`
      : sql<HoldRow>`SELECT ${columns} FROM holds WHERE ${among(sql, "hold_id", holdIds)} UNION ${lapsed}`
  return Effect.map(rows, (found) => found.map(holdOfRow))
}

/** The periods of the holds, and those of the wished lengths and of the holds' at the wished times. */
const startsOf = (holds: ReadonlyArray<StoredHold>, { atMs, periodsMs }: BooksWish) => {
  const lengths = new Set(periodsMs)
  const starts = new Set<number>()
  for (const { period } of holds) {
    if (period === null) continue
    lengths.add(period.periodMs)
    starts.add(period.startMs)
  }
  for (const periodMs of lengths) for (const ms of atMs) starts.add(usagePeriodAt({ periodMs }, ms)?.startMs ?? 0)
  return { lengths: [...lengths], starts: [...starts] }
}

const readUsage = (sql: SqlClient, holds: ReadonlyArray<StoredHold>, wish: BooksWish) => {
  const { lengths, starts } = startsOf(holds, wish)
  if (lengths.length === 0 || starts.length === 0) return Effect.succeed([])
  return sql<UsageRow>`
    SELECT project_id, period_ms, period_start_ms, credits FROM usage_periods
    WHERE ${among(sql, "project_id", wish.projectIds)} AND ${among(sql, "period_ms", lengths)}
      AND ${among(sql, "period_start_ms", starts)}`
}

const usageOfRow = (row: UsageRow): readonly [string, PeriodUsage] => {
  const period = { periodMs: Number(row.period_ms), startMs: Number(row.period_start_ms) }
  return [periodKey(period), { period, credits: BigInt(row.credits) }]
}

/** Of the wished reports those that there are. */
const readReportIds = (sql: SqlClient, { projectIds, reportIds }: BooksWish) =>
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

/** The books of the projects that there are, by their ids. At least one project must be asked for. */
export const openBooks = (sql: SqlClient, wish: BooksWish): Effect.Effect<ReadonlyMap<string, Book>, SqlError> =>
  Effect.gen(function* () {
    const accounts = yield* lockAccounts(sql, wish.projectIds)
    const allHolds = yield* readHolds(sql, wish)
    const holds = byProject(allHolds, ({ projectId }) => projectId)
    const usage = byProject(yield* readUsage(sql, allHolds, wish), (row) => row.project_id)
    const reports = byProject(yield* readReportIds(sql, wish), (row) => row.project_id)
    const bookOf = ({ granted, held, last_entry, project_id, used }: AccountRow): Book => ({
      projectId: project_id,
      account: { granted: BigInt(granted), used: BigInt(used), held: BigInt(held) },
      lastEntry: Number(last_entry),
      holds: new Map((holds.get(project_id) ?? []).map((hold) => [hold.holdId, hold])),
      usage: new Map((usage.get(project_id) ?? []).map(usageOfRow)),
      reportIds: new Set((reports.get(project_id) ?? []).map(({ id }) => id)),
      changes: noChanges
    })
    return new Map(accounts.map((row) => [row.project_id, bookOf(row)]))
  })
