/** A virtual clock for Effect: time advances only when told to, and everything due happens in order. */
import { Clock, Duration, Effect, Layer, type Scheduler } from "effect"
import { makeSettlingScheduler } from "./settlingScheduler.ts"

/** A clock with monotonic time in nanoseconds and a wall clock, which agree until the wall clock is set. */
export interface SimClock extends Clock.Clock {
  /** Puts a runtime on this clock, and on the scheduler that the clock can settle. */
  readonly layer: Layer.Layer<never>
  /** The scheduler alone, for an effect that is run before there is a runtime. */
  readonly scheduler: Scheduler.Scheduler
  /** Monotonic milliseconds since the clock was made. */
  readonly nowMs: () => number
  /** Calls back at a time of `nowMs`, or at the next step if that is past. Returns how to cancel it. */
  readonly at: (ms: number, callback: () => void) => () => void
  /** Advances, waking every sleeper at its time and settling all fibers after each. Promises do not settle. */
  readonly advance: (ms: number) => void
  /** As `advance`, with a turn of the event loop after each wake-up, so that promises settle too. */
  readonly play: (ms: number) => Promise<void>
  /** Lets time pass without waking anything, as if the process or its thread were stopped. May be called inside a task. */
  readonly stall: (ms: number) => void
  /** Moves the wall clock by this much (back, if negative). Monotonic time does not change. */
  readonly jumpWall: (ms: number) => void
}

interface Sleeper {
  readonly dueNanos: number
  readonly wake: () => void
}

/** The sleepers, the next to wake at the end; among equal times the first to sleep wakes first. */
class Sleepers {
  readonly #sorted: Array<Sleeper> = []

  add(sleeper: Sleeper): void {
    let low = 0
    let high = this.#sorted.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const other = this.#sorted[middle]
      if (other !== undefined && other.dueNanos > sleeper.dueNanos) low = middle + 1
      else high = middle
    }
    this.#sorted.splice(low, 0, sleeper)
  }

  remove(sleeper: Sleeper): void {
    const at = this.#sorted.lastIndexOf(sleeper)
    if (at >= 0) this.#sorted.splice(at, 1)
  }

  /** Removes the next sleeper, if it is due by `untilNanos`. */
  takeDue(untilNanos: number): Sleeper | undefined {
    const next = this.#sorted.at(-1)
    return next !== undefined && next.dueNanos <= untilNanos ? this.#sorted.pop() : undefined
  }
}

const nanosOf = (ms: number): number => Math.round(ms * 1e6)

/** Makes a clock whose wall clock shows `wallMs` (milliseconds since the Unix epoch). Nanoseconds are exact for 100 days. */
export const makeSimClock = (wallMs = Date.UTC(2026, 0, 1)): SimClock => {
  const { scheduler, settle, settleWithPromises } = makeSettlingScheduler()
  const sleepers = new Sleepers()
  const originNanos = BigInt(wallMs) * 1_000_000n
  let elapsedNanos = 0
  let wallOffsetMs = wallMs

  const nanos = (): bigint => originNanos + BigInt(elapsedNanos)
  const wall = (): number => Math.floor(wallOffsetMs + elapsedNanos / 1e6)

  const at = (ms: number, wake: () => void): (() => void) => {
    const sleeper = { dueNanos: nanosOf(ms), wake }
    sleepers.add(sleeper)
    return () => sleepers.remove(sleeper)
  }

  /** Wakes the next due sleeper; false if there is none. */
  const wakeNext = (untilNanos: number): boolean => {
    const sleeper = sleepers.takeDue(untilNanos)
    if (sleeper === undefined) return false
    elapsedNanos = Math.max(elapsedNanos, sleeper.dueNanos)
    sleeper.wake()
    return true
  }

  const clock: SimClock = {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: wall,
    unsafeCurrentTimeNanos: nanos,
    currentTimeMillis: Effect.sync(wall),
    currentTimeNanos: Effect.sync(nanos),
    sleep: (duration) =>
      Effect.async<void>((resume) => {
        const wakesMs = elapsedNanos / 1e6 + Duration.toMillis(duration)
        return Effect.sync(at(wakesMs, () => resume(Effect.void)))
      }),
    layer: Layer.suspend(() => Layer.merge(Layer.setClock(clock), Layer.setScheduler(scheduler))),
    scheduler,
    nowMs: () => elapsedNanos / 1e6,
    at,
    advance: (ms) => {
      const untilNanos = elapsedNanos + nanosOf(ms)
      do settle()
      while (wakeNext(untilNanos))
      elapsedNanos = Math.max(elapsedNanos, untilNanos)
    },
    play: async (ms) => {
      const untilNanos = elapsedNanos + nanosOf(ms)
      do await settleWithPromises()
      while (wakeNext(untilNanos))
      elapsedNanos = Math.max(elapsedNanos, untilNanos)
    },
    stall: (ms) => {
      elapsedNanos += nanosOf(ms)
    },
    jumpWall: (ms) => {
      wallOffsetMs += ms
    }
  }
  return clock
}
