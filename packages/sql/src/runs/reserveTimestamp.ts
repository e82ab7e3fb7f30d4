/** The timestamps of results: per project and drId, each is later than the previous one, across servers and restarts. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { flushLater } from "../database/flushLater.ts"

/** The project and drId, and the earliest allowed timestamp. */
export interface TimestampInput {
  readonly projectId: string
  readonly drId: string
  readonly nowMs: number
}

interface TimestampRow {
  readonly timestamp_ms: number | string
}

/** A single statement, so no transaction is needed: the database never gives two callers the same timestamp. */
const reserve = (sql: SqlClient, { drId, nowMs, projectId }: TimestampInput) => sql<TimestampRow>`
  INSERT INTO timestamps (project_id, dr_id, timestamp_ms) VALUES (${projectId}, ${drId}, ${nowMs})
  ON CONFLICT (project_id, dr_id) DO UPDATE SET timestamp_ms =
    CASE WHEN excluded.timestamp_ms > timestamps.timestamp_ms THEN excluded.timestamp_ms
      ELSE timestamps.timestamp_ms + 1 END
  RETURNING timestamp_ms`

/**
 * max(now, last + 1), in milliseconds since the Unix epoch. In SQLite the flush to disk is left to the commit of the report, which follows in
 * the same log and flushes it too: a timestamp lost in a power failure is in no report, so no client has seen it.
 */
export const reserveTimestamp = (sql: SqlClient, input: TimestampInput): Effect.Effect<number, SqlError> =>
  Effect.flatMap(flushLater(reserve(sql, input)), ([row]) =>
    row === undefined ? Effect.dieMessage("no timestamp came back") : Effect.succeed(Number(row.timestamp_ms))
  )
