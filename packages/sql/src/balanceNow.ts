/** A project's balance as one statement sees it: nothing is locked and nothing is written for it. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { afterVoid, type Account, type Balance, type Project, StoreDefect } from "@sibyl/core"
import { Clock, Effect } from "effect"
import { usagePeriodAt } from "./book.ts"

/** The account, once for every open hold whose lease is over, and once without if there is none. */
interface BalanceRow {
  readonly granted: string
  readonly used: string
  readonly held: string
  readonly period_credits: string | null
  readonly amount: string | null
  readonly period_ms: number | string | null
  readonly period_start_ms: number | string | null
}

/** No period has this length: without a limit none is found. */
const noPeriod = { periodMs: 0, startMs: 0 }

/** The balance at the present moment. A hold whose lease is over counts as returned, though nobody has written that. */
export const balanceNow = (sql: SqlClient, project: Project): Effect.Effect<Balance, SqlError> =>
  Effect.gen(function* () {
    const { projectId, usageLimit } = project
    const nowMs = yield* Clock.currentTimeMillis
    const period = usagePeriodAt(usageLimit, nowMs) ?? noPeriod
    const rows = yield* sql<BalanceRow>`
      SELECT a.granted, a.used, a.held, u.credits AS period_credits, h.amount, h.period_ms, h.period_start_ms
      FROM accounts a
      LEFT JOIN usage_periods u
        ON u.project_id = a.project_id AND u.period_ms = ${period.periodMs} AND u.period_start_ms = ${period.startMs}
      LEFT JOIN holds h ON h.project_id = a.project_id AND h.state = 'held' AND h.lease_end_ms <= ${nowMs}
      WHERE a.project_id = ${projectId}`
    const [first] = rows
    if (first === undefined) return yield* Effect.die(new StoreDefect(`project ${projectId} does not exist`))
    let account: Account = { granted: BigInt(first.granted), used: BigInt(first.used), held: BigInt(first.held) }
    let periodUsed = BigInt(first.period_credits ?? 0)
    for (const { amount, period_ms, period_start_ms } of rows) {
      if (amount === null) continue
      account = afterVoid(account, BigInt(amount))
      const isOfPeriod = Number(period_ms) === period.periodMs && Number(period_start_ms) === period.startMs
      if (period_ms !== null && isOfPeriod) periodUsed -= BigInt(amount)
    }
    return { ...account, periodUsed }
  })
