/** Holds in SQL: their rows, and the statements that insert, change and resolve them. */
import type { EscrowState, HoldRecord, HoldState } from "@sibyl/core"
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
  readonly escrow: EscrowState | null
  readonly drawn: string | null
}

/** How holds are inserted. */
export const holdRows: RowShape = {
  table: "holds",
  columns: ["hold_id", "project_id", "amount", "state", "lease_end_ms", "period_ms", "period_start_ms", "escrow", "drawn"]
}

/** How open holds are changed: a lease, or what an escrow holds. */
const changedRows: RowShape = {
  ...holdRows,
  onConflict:
    "ON CONFLICT (hold_id) DO UPDATE SET amount = excluded.amount, lease_end_ms = excluded.lease_end_ms, " +
    "escrow = excluded.escrow, drawn = excluded.drawn"
}

const holdRow = ({ amount, escrow, holdId, leaseEndMs, period, projectId, state }: HoldRecord): Row => [
  holdId,
  projectId,
  `${amount}`,
  state,
  leaseEndMs,
  period?.periodMs ?? null,
  period?.startMs ?? null,
  escrow?.state ?? null,
  escrow === null ? null : `${escrow.drawn}`
]

/** The hold of a row. */
export const holdOfRow = (row: HoldRow): HoldRecord => ({
  holdId: row.hold_id,
  projectId: row.project_id,
  amount: BigInt(row.amount),
  state: row.state,
  leaseEndMs: Number(row.lease_end_ms),
  period: row.period_ms === null ? null : { periodMs: Number(row.period_ms), startMs: Number(row.period_start_ms) },
  escrow: row.escrow === null ? null : { state: row.escrow, drawn: BigInt(row.drawn ?? 0) }
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
    yield [query`UPDATE holds SET state = ${state} WHERE ${among("hold_id", ids.slice(from, from + mostIds))}`]
  }
}

/** Writes open holds that have changed. */
export const changeHolds = (dialect: Dialect, holds: ReadonlyArray<HoldRecord>): Plan<void> =>
  insertRows(dialect, changedRows, holds.map(holdRow))
