/** A hold as a row of its table. */
import type { HoldRecord, HoldState } from "@sibyl/core"
import type { Row, RowShape } from "../database/manyRows.ts"

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

/** The rows of holds. */
export const holdRows: RowShape = {
  table: "holds",
  columns: ["hold_id", "project_id", "amount", "state", "lease_end_ms", "period_ms", "period_start_ms"]
}

/** The row of a hold, in the order of the columns. */
export const holdRow = ({ amount, holdId, leaseEndMs, period, projectId, state }: HoldRecord): Row => [
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
