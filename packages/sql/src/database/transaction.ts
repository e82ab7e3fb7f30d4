/** One durable transaction: the only way in which the stores change several rows. */
import { type SqlClient, TransactionConnection } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import { Cause, Effect, Exit, Option, Random } from "effect"
import { troubleIn } from "./databaseTrouble.ts"
import { orSqlDefect } from "./sqlDefect.ts"

/** Ten retries in about two seconds, which is longer than conflicts between transactions last. */
const mostRepeats = 10
/** A database that does not answer fails each try only after a while: all tries together end after this time. */
const longestRepeatingMs = 5_000
const longestPauseMs = 320

/** A random pause that doubles from 5 ms on, so that conflicting transactions do not conflict again. */
const pause = (repeats: number): Effect.Effect<void> =>
  Effect.flatMap(Random.nextRange(0.5, 1), (share) => Effect.sleep(Math.ceil(Math.min(longestPauseMs, 5 * 2 ** repeats) * share)))

/** How a transaction that was tried once has ended. */
export interface TriedTransaction<A> {
  readonly exit: Exit.Exit<A, SqlError>
  /** Whether the commit was sent, or was about to be: a failure may then be one of its acknowledgement alone. */
  readonly isCommitSent: boolean
}

const once = <A, R>(sql: SqlClient, body: Effect.Effect<A, SqlError, R>): Effect.Effect<TriedTransaction<A>, never, R> =>
  Effect.suspend(() => {
    let isCommitSent = false
    const marked = Effect.tap(body, () => {
      isCommitSent = true
    })
    return Effect.map(Effect.exit(sql.withTransaction(marked)), (exit) => ({ exit, isCommitSent }))
  })

/**
 * Tries a transaction again if it conflicted with another one, or if the connection was lost before the commit. A commit without an
 * acknowledgement may have happened: only a `repeatable` transaction (idempotent when committed twice) is tried again then.
 */
export const repeatedly = <A, R>(
  tried: Effect.Effect<TriedTransaction<A>, never, R>,
  repeatable: boolean
): Effect.Effect<A, SqlError, R> => {
  const attempt = (repeats: number, sinceMs = performance.now()): Effect.Effect<A, SqlError, R> =>
    Effect.flatMap(tried, ({ exit, isCommitSent }) => {
      if (Exit.isSuccess(exit) || repeats === mostRepeats || Cause.isInterrupted(exit.cause)) return exit
      if (performance.now() - sinceMs > longestRepeatingMs) return exit
      const trouble = troubleIn(exit.cause)
      const again = trouble === "conflict" || (trouble === "unreachable" && (repeatable || !isCommitSent))
      return again ? Effect.zipRight(pause(repeats), attempt(repeats + 1, sinceMs)) : exit
    })
  return Effect.suspend(() => attempt(0))
}

/** Whether the caller has a transaction open. */
export const isInTransaction: Effect.Effect<boolean> = Effect.map(Effect.serviceOption(TransactionConnection), Option.isSome)

/**
 * Runs `body` in a transaction, on PostgreSQL {@link repeatedly}. Within another transaction it is not repeated: that one is, as a whole.
 */
export const repeatedTransaction = <A, R>(
  sql: SqlClient,
  body: Effect.Effect<A, SqlError, R>,
  repeatable: boolean
): Effect.Effect<A, SqlError, R> =>
  sql.onDialectOrElse({
    pg: () =>
      Effect.flatMap(isInTransaction, (isInside) => (isInside ? sql.withTransaction(body) : repeatedly(once(sql, body), repeatable))),
    orElse: () => sql.withTransaction(body)
  })

/**
 * Runs `body` in a transaction: committed if it succeeds, rolled back if it dies or is interrupted. A refusal is returned as a value, so
 * that clean-up done before it is committed. `doing` names the work in a `SqlDefect`.
 */
export const transaction = <A, R>(sql: SqlClient, doing: string, body: Effect.Effect<A, SqlError, R>): Effect.Effect<A, never, R> =>
  orSqlDefect(doing)(repeatedTransaction(sql, body, false))

/** The end of a SELECT that locks its rows for this transaction. SQLite's write transactions lock the whole file anyway. */
export const forUpdate = (sql: SqlClient): Fragment =>
  sql.onDialectOrElse({ pg: () => sql.literal("FOR UPDATE"), orElse: () => sql.literal("") })
