/** What a restored copy still has of the servers that were running when it was taken. */
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect } from "effect"
import { orSqlDefect } from "./database/sqlDefect.ts"
import { voidOrphanedHolds } from "./ledger/expiredHolds.ts"
import { lapseOrphanedClaims } from "./runs/sqlIdempotency.ts"

/**
 * Returns every open hold, and ends the claims of requests under way: no server of this database is running. Answers how many holds there
 * were. Correct only on a copy that nobody uses.
 */
export const settleCopy: Effect.Effect<number, never, SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient
  const [open] = yield* sql<{ n: number | string }>`SELECT COUNT(*) AS n FROM holds WHERE state = 'held'`
  yield* sql.withTransaction(Effect.zipRight(voidOrphanedHolds, lapseOrphanedClaims))
  return Number(open?.n ?? 0)
}).pipe(orSqlDefect("returning the holds of a copy"))
