/** One durable transaction: the only way in which the stores change several rows. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import { Cause, Effect, Exit, Random } from "effect"
import { troubleIn } from "./databaseTrouble.ts"
import { orSqlDefect } from "./sqlDefect.ts"

/** Ten more tries in about two seconds, which is longer than two transactions are in each other's way. */
const mostRepeats = 10
/** A database that answers nothing fails each try only after a while: together the tries take no longer than this. */
const longestRepeatingMs = 5_000
const longestPauseMs = 320

/** A pause that doubles from 5 ms on and is another for everybody, so that those who met do not meet again. */
const pause = (repeats: number): Effect.Effect<void> =>
  Effect.flatMap(Random.nextRange(0.5, 1), (share) => Effect.sleep(Math.ceil(Math.min(longestPauseMs, 5 * 2 ** repeats) * share)))

/** Runs `body` in a transaction, and says how that ended and whether all was done and only the commit was left. */
const once = <A, R>(sql: SqlClient, body: Effect.Effect<A, SqlError, R>) =>
  Effect.suspend(() => {
    let allDone = false
    const marked = Effect.tap(body, () => {
      allDone = true
    })
    return Effect.map(Effect.exit(sql.withTransaction(marked)), (exit) => ({ exit, allDone }))
  })

/**
 * Runs `body` in a transaction. On PostgreSQL it is done again when another transaction was in its way, and when the
 * connection was lost before the commit. A commit that nobody heard back from may have happened: only what is
 * `repeatable` (right however often it is committed) is done again then.
 */
export const repeatedTransaction = <A, R>(
  sql: SqlClient,
  body: Effect.Effect<A, SqlError, R>,
  repeatable: boolean
): Effect.Effect<A, SqlError, R> => {
  const attempt = (repeats: number, sinceMs = performance.now()): Effect.Effect<A, SqlError, R> =>
    Effect.flatMap(once(sql, body), ({ allDone, exit }) => {
      if (Exit.isSuccess(exit) || repeats === mostRepeats || Cause.isInterrupted(exit.cause)) return exit
      if (performance.now() - sinceMs > longestRepeatingMs) return exit
      const trouble = troubleIn(exit.cause)
      const again = trouble === "conflict" || (trouble === "unreachable" && (repeatable || !allDone))
      return again ? Effect.zipRight(pause(repeats), attempt(repeats + 1, sinceMs)) : exit
    })
  return sql.onDialectOrElse({ pg: () => attempt(0), orElse: () => sql.withTransaction(body) })
}

/**
 * Runs `body` in a transaction: committed when it succeeds, rolled back when it dies or is interrupted. A refusal comes
 * back as a value, so that what was tidied up before it is kept. `doing` names the work in a `SqlDefect`.
 */
export const transaction = <A, R>(sql: SqlClient, doing: string, body: Effect.Effect<A, SqlError, R>): Effect.Effect<A, never, R> =>
  orSqlDefect(doing)(repeatedTransaction(sql, body, false))

/** The end of a SELECT that keeps its rows for this transaction. SQLite's transactions keep the whole file anyway. */
export const forUpdate = (sql: SqlClient): Fragment =>
  sql.onDialectOrElse({ pg: () => sql.literal("FOR UPDATE"), orElse: () => sql.literal("") })
