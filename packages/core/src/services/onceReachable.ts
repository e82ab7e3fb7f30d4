/** What a run that has happened still needs of its store, also when that is away for a while (decision D32). */
import { type Cause, Duration, Effect, Schedule } from "effect"
import { storeUnavailableIn } from "../ports/storeUnavailable.ts"

/** How long a finished run waits for its store. Well within a hold's lease and within the time that a drain waits. */
const patience = Duration.seconds(30)

/** Between two tries: 50 ms, doubled each time, at most a second. */
const pauses = Schedule.exponential(50).pipe(Schedule.union(Schedule.spaced(1_000)), Schedule.upTo(patience))

/**
 * Asks again for as long as the store cannot be reached. Only for what is right however often it is done, because an
 * answer may have been lost: reserving a timestamp, settling a hold. Any other fault is told at once.
 */
export const onceReachable = <A>(ask: Effect.Effect<A>): Effect.Effect<A> =>
  Effect.sandbox(ask).pipe(
    Effect.retry({ schedule: pauses, while: (cause: Cause.Cause<never>) => storeUnavailableIn(cause) !== undefined }),
    Effect.unsandbox
  )
