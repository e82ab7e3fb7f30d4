/** What a restored copy still has of the servers that were running when it was taken. */
import { SqlClient } from "@effect/sql/SqlClient"
import { Clock, Effect } from "effect"
import { ask } from "./database/plan.ts"
import { runPlan } from "./database/runPlan.ts"
import { orSqlDefect } from "./database/sqlDefect.ts"
import { beginAllAnew } from "./feeds/feedLeaseStatements.ts"
import { voidOrphanedHolds } from "./ledger/expiredHolds.ts"
import { lapseOrphanedClaims } from "./runs/sqlIdempotency.ts"

/** So that a follower who has had more of a feed than the copy is told of a gap, and no other run has a number that he knows. */
const beginFeedsAnew = Effect.flatMap(SqlClient, (sql) =>
  Effect.flatMap(Clock.currentTimeMillis, (nowMs) => runPlan(sql, (dialect) => ask(beginAllAnew(dialect, nowMs))))
)

/**
 * Returns every open hold, ends the claims of requests under way, and begins an epoch of each feed: no server of this database is running,
 * and the original may have gone on. Answers how many holds there were. Correct only on a copy that nobody uses.
 */
export const settleCopy: Effect.Effect<number, never, SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient
  const [open] = yield* sql<{ n: number | string }>`SELECT COUNT(*) AS n FROM holds WHERE state = 'held'`
  yield* sql.withTransaction(Effect.all([voidOrphanedHolds, lapseOrphanedClaims, beginFeedsAnew], { discard: true }))
  return Number(open?.n ?? 0)
}).pipe(orSqlDefect("returning the holds of a copy"))
