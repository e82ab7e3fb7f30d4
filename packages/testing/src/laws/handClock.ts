/** A clock that stands still until it is told the time; sleeping takes real time. */
import { Clock, Effect } from "effect"

/** A clock moved by hand. Run an effect under it with `Effect.withClock`. */
export interface HandClock extends Clock.Clock {
  /** Moves it on by `ms` (back, when negative). */
  readonly advance: (ms: number) => void
}

/** A clock that shows `startMs`. */
export const makeHandClock = (startMs: number): HandClock => {
  const live = Clock.make()
  let nowMs = startMs
  const nanos = (): bigint => BigInt(nowMs) * 1_000_000n
  return {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: () => nowMs,
    unsafeCurrentTimeNanos: nanos,
    currentTimeMillis: Effect.sync(() => nowMs),
    currentTimeNanos: Effect.sync(nanos),
    sleep: (duration) => live.sleep(duration),
    advance: (ms) => {
      nowMs += ms
    }
  }
}
