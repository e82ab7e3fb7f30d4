/** Waits until something holds, within a bound far above what it should take. */
import { Effect, Schedule } from "effect"

const boundMs = 20_000

/** Looks every few ms; dies when it does not hold in time. */
export const eventually = (holds: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (holds() ? Effect.void : Effect.fail(new Error(`does not hold within ${boundMs} ms: ${holds}`)))).pipe(
    Effect.retry(Schedule.intersect(Schedule.spaced(5), Schedule.recurUpTo(boundMs))),
    Effect.orDie
  )
