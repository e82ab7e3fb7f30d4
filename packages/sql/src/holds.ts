/** The holds of a project as rows: taken, found, resolved once. Used under the lock of its account. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { afterPost, type Hold } from "@sibyl/core"
import { Effect } from "effect"
import { type Book, enter, type EntryKind } from "./book.ts"
import { addUsage, type UsagePeriod } from "./usagePeriods.ts"

/** What became of a hold. */
export type HoldState = "held" | "posted" | "voided"

/** A hold with everything that is kept of it. */
export interface StoredHold extends Hold {
  readonly state: HoldState
  readonly period: UsagePeriod | null
}

interface HoldRow {
  readonly hold_id: string
  readonly project_id: string
  readonly amount: string
  readonly state: HoldState
  readonly period_ms: number | string | null
  readonly period_start_ms: number | string | null
}

const holdOfRow = (row: HoldRow): StoredHold => ({
  holdId: row.hold_id,
  projectId: row.project_id,
  amount: BigInt(row.amount),
  state: row.state,
  period:
    row.period_ms === null ? null : { periodMs: Number(row.period_ms), startMs: Number(row.period_start_ms) }
})

/** Keeps a new hold until `leaseEndMs`, counted to `period`. */
export const insertHold = (
  sql: SqlClient,
  hold: Hold,
  leaseEndMs: number,
  period: UsagePeriod | null
): Effect.Effect<void, SqlError> =>
  Effect.zipRight(
    sql`INSERT INTO holds (hold_id, project_id, amount, state, lease_end_ms, period_ms, period_start_ms)
      VALUES (${hold.holdId}, ${hold.projectId}, ${`${hold.amount}`}, 'held', ${leaseEndMs},
        ${period?.periodMs ?? null}, ${period?.startMs ?? null})`,
    addUsage(sql, hold.projectId, period, hold.amount)
  )

/** The hold of this id and project. */
export const findHold = (
  sql: SqlClient,
  { holdId, projectId }: Hold
): Effect.Effect<StoredHold | undefined, SqlError> =>
  Effect.map(
    sql<HoldRow>`
      SELECT hold_id, project_id, amount, state, period_ms, period_start_ms FROM holds
      WHERE hold_id = ${holdId} AND project_id = ${projectId}`,
    ([row]) => (row === undefined ? undefined : holdOfRow(row))
  )

/** The project's holds that are not resolved and whose lease is over at `atMs`. */
export const openHoldsUntil = (
  sql: SqlClient,
  projectId: string,
  atMs: number
): Effect.Effect<ReadonlyArray<StoredHold>, SqlError> =>
  Effect.map(
    sql<HoldRow>`
      SELECT hold_id, project_id, amount, state, period_ms, period_start_ms FROM holds
      WHERE project_id = ${projectId} AND state = 'held' AND lease_end_ms <= ${atMs}`,
    (rows) => rows.map(holdOfRow)
  )

/** Resolves an open hold: `posted` credits are used, the rest goes back to the account and to its period. */
export const resolveHold = (
  sql: SqlClient,
  book: Book,
  hold: StoredHold,
  kind: Exclude<EntryKind, "grant" | "hold">,
  posted: bigint
): Effect.Effect<Book, SqlError> => {
  const state: HoldState = kind === "post" ? "posted" : "voided"
  const credits = kind === "post" ? posted : hold.amount
  const account = afterPost(book.account, hold.amount, posted)
  return sql`UPDATE holds SET state = ${state} WHERE hold_id = ${hold.holdId}`.pipe(
    Effect.zipRight(addUsage(sql, hold.projectId, hold.period, posted - hold.amount)),
    Effect.as(enter(book, { kind, credits, holdId: hold.holdId }, account))
  )
}
