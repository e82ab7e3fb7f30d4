/** What a database error means for the service: unavailable for now, or a defect. */
import { SqlError } from "@effect/sql/SqlError"
import { StoreUnavailable } from "@sibyl/core"
import { Effect, Option } from "effect"
import { troubleOf } from "./databaseTrouble.ts"

/** The database refused a statement. It is raised as a defect; the cause is for the operator's log. */
export class SqlDefect extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = "SqlDefect"
  }
}

const isSqlError = (error: unknown): error is SqlError => error instanceof SqlError

/** The database's message; the PostgreSQL client has it in the cause. */
const saidIn = ({ cause, message }: SqlError): string =>
  cause instanceof Error && cause.message !== message ? `${message}: ${cause.message}` : message

const defectOf = (doing: string, error: SqlError): SqlDefect | StoreUnavailable => {
  const message = `${doing}: ${saidIn(error)}`
  return troubleOf(error) === "refused" ? new SqlDefect(message, { cause: error }) : new StoreUnavailable(message, { cause: error })
}

/**
 * Turns every database error into a defect: a `StoreUnavailable` if the database is unavailable (or a transaction kept conflicting with
 * others), else a {@link SqlDefect}; `doing` names in a few words what was attempted. This includes errors that are defects already:
 * `@effect/sql` reports a failed commit like that.
 */
export const orSqlDefect =
  (doing: string) =>
  <A, R>(effect: Effect.Effect<A, SqlError, R>): Effect.Effect<A, never, R> =>
    Effect.catchSomeDefect(Effect.orDie(effect), (defect) =>
      isSqlError(defect) ? Option.some(Effect.die(defectOf(doing, defect))) : Option.none()
    )
