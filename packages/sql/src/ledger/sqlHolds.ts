/** Holds in SQL: their rows, and the statements that insert, renew and resolve them. */
import type { HoldRecord, HoldState } from "@sibyl/core"
import { insertRows, type Row, type RowShape } from "../database/manyRows.ts"
import type { Plan } from "../database/plan.ts"
import { among, type Dialect, query } from "../database/query.ts"

/** The columns of a hold. */
export interface HoldRow {
  readonly hold_id: string
  readonly project_id: string
  readonly amount: string
  readonly state: HoldState
  readonly lease_end_ms: number | string
  readonly period_ms: number | string | null
  readonly period_start_ms: number | string | null
}

/** How holds are inserted. */
export const holdRows: RowShape = {
  table: "holds",
  columns: ["hold_id", "project_id", "amount", "state", "lease_end_ms", "period_ms", "period_start_ms"]
}

const holdRow = ({ amount, holdId, leaseEndMs, period, projectId, state }: HoldRecord): Row => [
  holdId,
  projectId,
  `${amount}`,
  state,
  leaseEndMs,
  period?.periodMs ?? null,
  period?.startMs ?? null
]

/** The hold of a row. */
export const holdOfRow = (row: HoldRow): HoldRecord => ({
  holdId: row.hold_id,
  projectId: row.project_id,
  amount: BigInt(row.amount),
  state: row.state,
  leaseEndMs: Number(row.lease_end_ms),
  period: row.period_ms === null ? null : { periodMs: Number(row.period_ms), startMs: Number(row.period_start_ms) }
})

/** Inserts new holds. */
export const insertHolds = (dialect: Dialect, holds: ReadonlyArray<HoldRecord>): Plan<void> =>
  insertRows(dialect, holdRows, holds.map(holdRow))

/** Ids per statement. */
const mostIds = 256

/** Marks holds as posted, or as voided. */
export function* markHolds(holds: ReadonlyArray<HoldRecord>, state: "posted" | "voided"): Plan<void> {
  const ids = holds.filter((hold) => hold.state === state).map(({ holdId }) => holdId)
  for (let from = 0; from < ids.length; from += mostIds) {
    yield query`UPDATE holds SET state = ${state} WHERE ${among("hold_id", ids.slice(from, from + mostIds))}`
  }
}

/** Sets the leases, one statement per end: holds that are renewed together have the same end. */
export function* renewHolds(holds: ReadonlyArray<HoldRecord>): Plan<void> {
  const byEnd = new Map<number, Array<string>>()
  for (const { holdId, leaseEndMs } of holds) byEnd.set(leaseEndMs, [...(byEnd.get(leaseEndMs) ?? []), holdId])
  for (const [leaseEndMs, ids] of byEnd) yield query`UPDATE holds SET lease_end_ms = ${leaseEndMs} WHERE ${among("hold_id", ids)}`
}
