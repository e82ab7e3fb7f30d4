/** What a client is told about a failed request: the same over REST, JSON-RPC and in feeds. */
import { Cause, Effect } from "effect"
import { type Failure, InternalError, Overloaded, Unavailable } from "../../contract/errors.ts"
import { knownFailureIn } from "../../contract/knownFailure.ts"
import { StoreOutage } from "../../ports/logs/storeOutage.ts"
import { storeUnavailableIn } from "../../ports/storeUnavailable.ts"

const retryAfterSeconds = 1

/**
 * A known failure, a closing service, an unreachable store, or an internal error. The texts of the last two reveal no
 * internal detail. `what` names what was not charged because of an internal error.
 */
export const failureIn = (cause: Cause.Cause<Failure>, what: "request" | "run" = "request"): Failure => {
  const failure = knownFailureIn(cause)
  if (failure !== undefined) return failure
  if (Cause.isInterruptedOnly(cause)) return new Overloaded({ message: "the service is closing", retryAfterSeconds })
  return storeUnavailableIn(cause) === undefined
    ? new InternalError({ message: `an unexpected error; the ${what} was not charged` })
    : new Unavailable({ message: "the database cannot be reached now; try again", retryAfterSeconds })
}

/** Logs what a client is not told: that the store is unreachable, once for all requests; the whole cause of an internal error. */
export const logFault = (what: string, cause: Cause.Cause<Failure>): Effect.Effect<void> => {
  if (knownFailureIn(cause) !== undefined || Cause.isInterruptedOnly(cause)) return Effect.void
  const away = storeUnavailableIn(cause)
  return away === undefined
    ? Effect.logError(`${what} failed by a fault of ours`, cause)
    : Effect.flatMap(StoreOutage, ({ refused }) => refused(`${what} was refused: ${away.message}`))
}
