/** A clock that stands still until it is advanced; sleeping takes real time. */
import { Clock, Effect } from "effect"

/** A clock advanced by tests. Run an effect with it by `Effect.withClock`. */
export interface HandClock extends Clock.Clock {
  /** Advances it by `ms` (back, if negative). */
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
