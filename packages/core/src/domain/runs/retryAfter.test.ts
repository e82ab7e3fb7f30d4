/** What `Retry-After` says: whole seconds within bounds, never less than what is expected, more for whoever has more ahead. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  type Backlog,
  expectedWaitMs,
  leastRetryAfterSeconds,
  mostRetryAfterSeconds,
  pacedAfterMs,
  retryAfterSeconds,
  secondsUntil
} from "./retryAfter.ts"

const backlog: fc.Arbitrary<Backlog> = fc.record({
  waiting: fc.nat({ max: 2_000 }),
  takenPerSecond: fc.nat({ max: 10_000 }),
  standingMs: fc.integer({ min: 0, max: 600_000 })
})

const secondsOf = (each: Backlog): number => retryAfterSeconds(expectedWaitMs(each))

describe("Retry-After", () => {
  it("is in whole seconds, within its bounds, and not before the wait is over", () => {
    fc.assert(
      fc.property(backlog, (each) => {
        const seconds = secondsOf(each)
        expect(Number.isSafeInteger(seconds)).toBe(true)
        expect(seconds).toBeGreaterThanOrEqual(leastRetryAfterSeconds)
        expect(seconds).toBeLessThanOrEqual(mostRetryAfterSeconds)
        expect(seconds * 1_000).toBeGreaterThanOrEqual(Math.min(mostRetryAfterSeconds * 1_000, expectedWaitMs(each)))
        // Not a second longer than needed.
        expect(seconds === leastRetryAfterSeconds || (seconds - 1) * 1_000 < expectedWaitMs(each)).toBe(true)
      })
    )
  })

  it("grows with what waits, and falls with the pace", () => {
    fc.assert(
      fc.property(backlog, fc.nat({ max: 1_000 }), (each, more) => {
        expect(secondsOf({ ...each, waiting: each.waiting + more })).toBeGreaterThanOrEqual(secondsOf(each))
        fc.pre(each.takenPerSecond > 0)
        expect(secondsOf({ ...each, takenPerSecond: each.takenPerSecond + more })).toBeLessThanOrEqual(secondsOf(each))
      })
    )
  })

  it("is the least for a burst, whose pace nobody knows, and where nobody waits", () => {
    fc.assert(
      fc.property(backlog, (each) => {
        expect(secondsOf({ ...each, standingMs: each.standingMs % pacedAfterMs })).toBe(leastRetryAfterSeconds)
        expect(secondsOf({ ...each, waiting: 0 })).toBe(leastRetryAfterSeconds)
      })
    )
  })

  it("is what the pace says, else the time for which nothing has moved", () => {
    const standingMs = 5_000
    expect(secondsOf({ waiting: 500, takenPerSecond: 200, standingMs })).toBe(3)
    expect(secondsOf({ waiting: 32, takenPerSecond: 1, standingMs })).toBe(mostRetryAfterSeconds)
    expect(secondsOf({ waiting: 32, takenPerSecond: 0, standingMs })).toBe(5)
  })

  it("of a place that becomes free at a known time is that time, in whole seconds, never before it", () => {
    const timesMs = fc.integer({ min: 0, max: 4_000_000_000_000 })
    fc.assert(
      fc.property(timesMs, fc.integer({ min: -10_000, max: 10_000_000 }), (nowMs, inMs) => {
        const seconds = secondsUntil(nowMs + inMs, nowMs)
        expect(seconds).toBeGreaterThanOrEqual(leastRetryAfterSeconds)
        expect(seconds * 1_000).toBeGreaterThanOrEqual(inMs)
        expect(seconds === leastRetryAfterSeconds || (seconds - 1) * 1_000 < inMs).toBe(true)
      })
    )
  })
})
