/** What a failing database is to the service: a fault of ours, never an answer to a client. */
import { SqlError } from "@effect/sql/SqlError"
import { Effect, Option } from "effect"

/** The database refused a statement or is not there. It travels as a defect; the cause is for the operator's log. */
export class SqlDefect extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = "SqlDefect"
  }
}

const isSqlError = (error: unknown): error is SqlError => error instanceof SqlError

/** What the database said; PostgreSQL's client keeps it in the cause. */
const saidIn = ({ cause, message }: SqlError): string =>
  cause instanceof Error && cause.message !== message ? `${message}: ${cause.message}` : message

/**
 * Turns every database error into a {@link SqlDefect}; `doing` says in a few words what was attempted. Also those that
 * come as a defect already: `@effect/sql` reports a failed commit so.
 */
export const orSqlDefect =
  (doing: string) =>
  <A, R>(effect: Effect.Effect<A, SqlError, R>): Effect.Effect<A, never, R> =>
    Effect.catchSomeDefect(Effect.orDie(effect), (defect) =>
      isSqlError(defect)
        ? Option.some(Effect.die(new SqlDefect(`${doing}: ${saidIn(defect)}`, { cause: defect })))
        : Option.none()
    )
