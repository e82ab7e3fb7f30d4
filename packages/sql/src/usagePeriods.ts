/** What a project held or used in each period of its usage limit. Read and written under the lock of its account. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { periodStartMs, type UsageLimit } from "@sibyl/core"
import { Effect } from "effect"

/** One period; a limit of another length counts anew. */
export interface UsagePeriod {
  readonly periodMs: number
  readonly startMs: number
}

/** The period of a usage limit, or of an earlier period's length, that `nowMs` is in; `null` without a limit. */
export const usagePeriodAt = (limit: Pick<UsageLimit, "periodMs"> | null, nowMs: number): UsagePeriod | null =>
  limit === null ? null : { periodMs: limit.periodMs, startMs: periodStartMs(nowMs, limit.periodMs) }

/** Credits held or used in a period; 0 for none. */
export const readUsage = (
  sql: SqlClient,
  projectId: string,
  period: UsagePeriod | null
): Effect.Effect<bigint, SqlError> =>
  period === null
    ? Effect.succeed(0n)
    : Effect.map(
        sql<{ readonly credits: string }>`
          SELECT credits FROM usage_periods
          WHERE project_id = ${projectId} AND period_ms = ${period.periodMs} AND period_start_ms = ${period.startMs}`,
        ([row]) => BigInt(row?.credits ?? 0)
      )

/** Adds to a period, or takes away what a hold did not use. */
export const addUsage = (
  sql: SqlClient,
  projectId: string,
  period: UsagePeriod | null,
  credits: bigint
): Effect.Effect<void, SqlError> =>
  period === null || credits === 0n
    ? Effect.void
    : Effect.flatMap(readUsage(sql, projectId, period), (before) =>
        Effect.asVoid(sql`
          INSERT INTO usage_periods (project_id, period_ms, period_start_ms, credits)
          VALUES (${projectId}, ${period.periodMs}, ${period.startMs}, ${`${before + credits}`})
          ON CONFLICT (project_id, period_ms, period_start_ms) DO UPDATE SET credits = excluded.credits`)
      )
