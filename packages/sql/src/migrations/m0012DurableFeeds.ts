/** The twelfth migration: durable feeds and the log of their runs. */
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { columnTypes } from "./columnTypes.ts"

/** Creates the definitions, and the log: one row per run, whose result is the report with its run's id. */
export const m0012DurableFeeds: Effect.Effect<void, SqlError, SqlClient> = Effect.flatMap(SqlClient, (sql) => {
  const { integer, strict } = columnTypes(sql)
  return Effect.forEach(
    [
      sql`CREATE TABLE feeds (
        feed_id TEXT NOT NULL PRIMARY KEY,
        project_id TEXT NOT NULL REFERENCES projects,
        execute_json TEXT NOT NULL,
        mode TEXT NOT NULL CHECK (mode IN ('FIXED', 'SEQUENTIAL', 'PARALLEL')),
        period_ms ${integer} NOT NULL,
        created_at_ms ${integer} NOT NULL
      ) ${strict}`,
      sql`CREATE INDEX feeds_of_project ON feeds (project_id, created_at_ms)`,
      sql`CREATE TABLE feed_entries (
        feed_id TEXT NOT NULL,
        epoch ${integer} NOT NULL,
        seq ${integer} NOT NULL,
        tick ${integer} NOT NULL,
        scheduled_at_ms ${integer} NOT NULL,
        started_at_ms ${integer} NOT NULL,
        ended_at_ms ${integer},
        failure TEXT,
        PRIMARY KEY (feed_id, epoch, seq)
      ) ${strict}`,
      sql`CREATE UNIQUE INDEX feed_entries_tick ON feed_entries (feed_id, epoch, tick)`,
      sql`CREATE INDEX feed_entries_age ON feed_entries (started_at_ms)`,
      sql`CREATE INDEX feed_entries_open ON feed_entries (feed_id) WHERE ended_at_ms IS NULL`,
      sql`CREATE INDEX feed_entries_failed ON feed_entries (feed_id, epoch, seq) WHERE failure IS NOT NULL`,
      sql`CREATE INDEX feed_entries_results ON feed_entries (feed_id, epoch, seq) WHERE ended_at_ms IS NOT NULL AND failure IS NULL`
    ],
    (statement) => statement.unprepared,
    { discard: true }
  )
})
