/** Holds in SQL: their rows, and the statements that insert, renew and resolve them. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { HoldRecord, HoldState } from "@sibyl/core"
import { Effect } from "effect"
import { among, insertRows, type Row, type RowShape } from "../database/manyRows.ts"

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
export const insertHolds = (sql: SqlClient, holds: ReadonlyArray<HoldRecord>) => insertRows(sql, holdRows, holds.map(holdRow))

/** Ids per statement. */
const mostIds = 256

/** Marks holds as posted, or as voided. */
export const markHolds = (sql: SqlClient, holds: ReadonlyArray<HoldRecord>, state: "posted" | "voided") => {
  const ids = holds.filter((hold) => hold.state === state).map(({ holdId }) => holdId)
  const parts = Array.from({ length: Math.ceil(ids.length / mostIds) }, (_, at) => ids.slice(at * mostIds, (at + 1) * mostIds))
  return Effect.forEach(parts, (part) => sql`UPDATE holds SET state = ${state} WHERE ${among(sql, "hold_id", part)}`, { discard: true })
}

/** Sets the leases, one statement per end: holds that are renewed together have the same end. */
export const renewHolds = (sql: SqlClient, holds: ReadonlyArray<HoldRecord>) => {
  const byEnd = new Map<number, Array<string>>()
  for (const { holdId, leaseEndMs } of holds) byEnd.set(leaseEndMs, [...(byEnd.get(leaseEndMs) ?? []), holdId])
  return Effect.forEach(
    byEnd,
    ([leaseEndMs, ids]) => sql`UPDATE holds SET lease_end_ms = ${leaseEndMs} WHERE ${among(sql, "hold_id", ids)}`,
    { discard: true }
  )
}
