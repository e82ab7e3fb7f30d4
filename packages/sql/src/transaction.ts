/** One durable transaction: the only way in which the stores change several rows. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import type { Fragment } from "@effect/sql/Statement"
import type { Effect } from "effect"
import { orSqlDefect } from "./sqlDefect.ts"

/**
 * Runs `body` in a transaction: committed when it succeeds, rolled back when it dies or is interrupted. A refusal comes
 * back as a value, so that what was tidied up before it is kept. `doing` names the work in a `SqlDefect`.
 */
export const transaction = <A, R>(
  sql: SqlClient,
  doing: string,
  body: Effect.Effect<A, SqlError, R>
): Effect.Effect<A, never, R> => orSqlDefect(doing)(sql.withTransaction(body))

/** The end of a SELECT that keeps its rows for this transaction. SQLite's transactions keep the whole file anyway. */
export const forUpdate = (sql: SqlClient): Fragment =>
  sql.onDialectOrElse({ pg: () => sql.literal("FOR UPDATE"), orElse: () => sql.literal("") })
