/** Queries that may be refused: by a rule, or because something that they name does not exist. */
import type { SqlClient } from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import { Effect, Either } from "effect"
import { orSqlDefect } from "./sqlDefect.ts"
import { transaction } from "./transaction.ts"

/** Turns refusals into values, so that only database errors remain failures. */
const refusalAsValue = <A, E>(body: Effect.Effect<A, E | SqlError>): Effect.Effect<Either.Either<A, Exclude<E, SqlError>>, SqlError> =>
  Effect.matchEffect(body, {
    onSuccess: (value) => Effect.succeed(Either.right(value)),
    onFailure: (error) => (error instanceof SqlError ? Effect.fail(error) : Effect.succeed(Either.left(error as Exclude<E, SqlError>)))
  })

/** Runs `body` in a transaction. A refusal does not undo what was written before it. `doing` names the work in a `SqlDefect`. */
export const refusable = <A, E>(
  sql: SqlClient,
  doing: string,
  body: Effect.Effect<A, E | SqlError>
): Effect.Effect<A, Exclude<E, SqlError>> => Effect.flatten(transaction(sql, doing, refusalAsValue(body)))

/** Runs a `body` that only reads, outside of any transaction. */
export const readable = <A, E>(doing: string, body: Effect.Effect<A, E | SqlError>): Effect.Effect<A, Exclude<E, SqlError>> =>
  Effect.flatten(orSqlDefect(doing)(refusalAsValue(body)))
