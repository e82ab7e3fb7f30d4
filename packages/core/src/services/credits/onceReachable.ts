/** Retries the store operations of a finished run while the store is unreachable (decision D32). */
import { type Cause, Duration, Effect, Schedule } from "effect"
import { StoreOutage } from "../../ports/logs/storeOutage.ts"
import { storeUnavailableIn } from "../../ports/storeUnavailable.ts"

/** How long a finished run waits for its store: well within the lease of a hold and the timeout of a drain. */
const patience = Duration.seconds(30)

const firstPauseMs = 50

/** The pause between two attempts: 50 ms, doubled each time, at most a second. */
const pauses = Schedule.exponential(firstPauseMs).pipe(Schedule.union(Schedule.spaced(1_000)), Schedule.upTo(patience))

/**
 * Repeats the effect as long as the store cannot be reached. Only for idempotent operations, because an acknowledgement
 * may have been lost: settling a hold, logging the end of a feed's run. Any other failure is passed on at once.
 */
export const onceReachable = <A, E, R>(ask: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  // The schedule is made only when it is needed: its driver costs more than the rest of an operation that succeeds at once.
  Effect.catchAllCause(ask, (cause) => {
    const away = storeUnavailableIn(cause)
    if (away === undefined) return Effect.failCause(cause)
    return Effect.flatMap(StoreOutage, ({ heldUp, met }) =>
      Effect.zipRight(met("finished runs wait for the database", away.message), heldUp(Effect.delay(retried(ask), firstPauseMs)))
    )
  })

const retried = <A, E, R>(ask: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.sandbox(ask).pipe(
    Effect.retry({ schedule: pauses, while: (cause: Cause.Cause<E>) => storeUnavailableIn(cause) !== undefined }),
    Effect.unsandbox
  )
