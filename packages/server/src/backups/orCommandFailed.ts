/** A database error is the operator's to fix: one line without a stack. Other defects stay defects. */
import { SqlError } from "@effect/sql/SqlError"
import { StoreUnavailable } from "@sibyl/core"
import { SqlDefect } from "@sibyl/sql"
import { Effect, Option } from "effect"
import { CommandFailed } from "../output/failure.ts"

const saidIn = ({ cause, message }: SqlError): string =>
  cause instanceof Error && cause.message !== message ? `${message}: ${cause.message}` : message

/** Turns errors of the database, and of the files of a backup, into failures of a command. */
export const orCommandFailed = <A, E, R>(
  effect: Effect.Effect<A, E | SqlError, R>
): Effect.Effect<A, Exclude<E, SqlError> | CommandFailed, R> =>
  Effect.mapError(effect, (error) =>
    error instanceof SqlError ? new CommandFailed({ message: saidIn(error) }) : (error as Exclude<E, SqlError>)
  ).pipe(
    Effect.catchSomeDefect((defect) => {
      if (defect instanceof SqlError) return Option.some(Effect.fail(new CommandFailed({ message: saidIn(defect) })))
      return defect instanceof SqlDefect || defect instanceof StoreUnavailable
        ? Option.some(Effect.fail(new CommandFailed({ message: defect.message })))
        : Option.none()
    })
  )
