/** The timestamps of results: for one project and drId each is later than the one before, across servers and restarts. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"

/** Whose timestamp is wanted, and the earliest it may be. */
export interface TimestampInput {
  readonly projectId: string
  readonly drId: string
  readonly nowMs: number
}

interface TimestampRow {
  readonly timestamp_ms: number | string
}

/** One statement, so it needs no transaction: the database sees to it that no two callers get the same. */
const reserve = (sql: SqlClient, { drId, nowMs, projectId }: TimestampInput) => sql<TimestampRow>`
  INSERT INTO timestamps (project_id, dr_id, timestamp_ms) VALUES (${projectId}, ${drId}, ${nowMs})
  ON CONFLICT (project_id, dr_id) DO UPDATE SET timestamp_ms =
    CASE WHEN excluded.timestamp_ms > timestamps.timestamp_ms THEN excluded.timestamp_ms
      ELSE timestamps.timestamp_ms + 1 END
  RETURNING timestamp_ms`

/**
 * In SQLite the flush to the disk is left to the commit of the report, which comes after it in the same log and brings it
 * along: a timestamp that a loss of power takes back stands in no report, so nobody has seen it.
 */
const withoutFlush = (sql: SqlClient, input: TimestampInput): Effect.Effect<ReadonlyArray<TimestampRow>, SqlError> =>
  Effect.scoped(
    Effect.flatMap(sql.reserve, (connection) => {
      const [text, values] = reserve(sql, input).compile()
      const synchronous = (level: "NORMAL" | "FULL") => connection.executeUnprepared(`PRAGMA synchronous = ${level}`, [], undefined)
      return Effect.acquireUseRelease(
        synchronous("NORMAL"),
        () => connection.execute(text, values, undefined) as Effect.Effect<ReadonlyArray<TimestampRow>, SqlError>,
        () => Effect.orDie(synchronous("FULL"))
      )
    })
  )

/** max(now, last + 1), in milliseconds since the Unix epoch. */
export const reserveTimestamp = (sql: SqlClient, input: TimestampInput): Effect.Effect<number, SqlError> =>
  Effect.flatMap(
    sql.onDialectOrElse({
      pg: () => reserve(sql, input),
      // The statement itself waits for another process's lock, which must not be done with the connection reserved.
      orElse: () => Effect.orElse(withoutFlush(sql, input), () => reserve(sql, input))
    }),
    ([row]) => (row === undefined ? Effect.dieMessage("no timestamp came back") : Effect.succeed(Number(row.timestamp_ms)))
  )
