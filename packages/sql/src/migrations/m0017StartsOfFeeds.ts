/** The seventeenth migration: which request created a durable feed. */
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"

/** Adds the request's place in its trace, as a `traceparent`; older feeds have none. */
export const m0017StartsOfFeeds: Effect.Effect<void, SqlError, SqlClient> = Effect.flatMap(
  SqlClient,
  (sql) => sql`ALTER TABLE feeds ADD COLUMN started_by TEXT`.unprepared
)
