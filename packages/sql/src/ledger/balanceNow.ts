/** A project's balance in one statement, without locking or writing anything. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { type Balance, balanceAt, type DrawnOf, periodKey, type Project, StoreDefect, type StoredTime, usagePeriodAt } from "@sibyl/core"
import { Clock, Effect } from "effect"
import { type HoldRow, holdOfRow, holdRows } from "./sqlHolds.ts"

/** An escrow or a lapsed hold, or nulls. */
type FoundHoldRow = HoldRow | { readonly [Column in keyof HoldRow]: null }

/** The account, once for every open escrow and every open hold whose lease has ended, or once without if there is none. */
type BalanceRow = FoundHoldRow & {
  readonly granted: string
  readonly used: string
  readonly account_held: string
  readonly period_credits: string | null
}

/** No period has this length, so without a limit none is found. */
const noPeriod = { periodMs: 0, startMs: 0 }

/**
 * The current balance. A hold whose lease has ended counts as returned, even if that is not written yet; what is not drawn of an escrow
 * does not count as held. `drawnOf` is asked after the statement.
 */
export const balanceNow: (sql: SqlClient, project: Project, drawnOf?: DrawnOf) => Effect.Effect<Balance, SqlError> = Effect.fnUntraced(
  function* (sql: SqlClient, project: Project, drawnOf?: DrawnOf) {
    const { projectId, usageLimit } = project
    const nowMs = yield* Clock.currentTimeMillis
    const period = usagePeriodAt(usageLimit, nowMs) ?? noPeriod
    const holdColumns = sql.literal(holdRows.columns.map((column) => `h.${column}`).join(", "))
    const rows = yield* sql<BalanceRow>`
      SELECT a.granted, a.used, a.held AS account_held, u.credits AS period_credits, ${holdColumns}
      FROM accounts a
      LEFT JOIN usage_periods u
        ON u.project_id = a.project_id AND u.period_ms = ${period.periodMs} AND u.period_start_ms = ${period.startMs}
      LEFT JOIN holds h ON h.project_id = a.project_id AND h.state = 'held'
        AND (h.lease_end_ms <= ${nowMs} OR h.escrow IS NOT NULL)
      WHERE a.project_id = ${projectId}`
    const [first] = rows
    if (first === undefined) return yield* Effect.die(new StoreDefect(`project ${projectId} does not exist`))
    const holds = rows.flatMap((row) => (row.hold_id === null ? [] : [holdOfRow(row)]))
    const usage = { period, credits: BigInt(first.period_credits ?? 0) }
    const snapshot = {
      projectId,
      account: { granted: BigInt(first.granted), used: BigInt(first.used), held: BigInt(first.account_held) },
      lastEntry: 0,
      holds: new Map(holds.map((hold) => [hold.holdId, hold])),
      usage: new Map([[periodKey(period), usage]]),
      charged: new Map<string, string | null>(),
      times: new Map<string, StoredTime>()
    }
    return balanceAt(snapshot, usageLimit, nowMs, drawnOf)
  }
)
