/** The time, for what is decided by it. */
import { Effect } from "effect"

/** With the caller's clock. */
export const withNow = <A, E>(use: (nowMs: number) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.clockWith((clock) => use(clock.unsafeCurrentTimeMillis()))
