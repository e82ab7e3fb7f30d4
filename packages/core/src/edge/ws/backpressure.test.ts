/** Backpressure: too much at once, or more than the soft limit for too long without a pause (decision D41). */
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { type Backpressure, backpressureStep } from "./backpressure.ts"

const limits = { outputSoftBytes: 1_000, outputSoftMs: 5_000, outputHardBytes: 16_000 }

/** The bytes found waiting, and the milliseconds since the previous check. */
interface Look {
  readonly afterMs: number
  readonly waitingBytes: number
}

/** The check at which the connection is closed; -1 if it is not. */
const closedAt = (looks: ReadonlyArray<Look>): number => {
  let backpressure: Backpressure
  let nowMs = 1_000_000
  for (const [index, { afterMs, waitingBytes }] of looks.entries()) {
    nowMs += afterMs
    const step = backpressureStep(backpressure, waitingBytes, nowMs, limits)
    if ("tooSlow" in step) return index
    backpressure = step.backpressure
  }
  return -1
}

/**
 * The same from the whole history: the first check that finds too much, or ends an unbroken time above the soft limit.
 */
const expectedAt = (looks: ReadonlyArray<Look>): number => {
  const times = looks.map((_, index) => looks.slice(0, index + 1).reduce((sum, { afterMs }) => sum + afterMs, 0))
  return looks.findIndex(({ waitingBytes }, index) => {
    if (waitingBytes > limits.outputHardBytes) return true
    if (waitingBytes <= limits.outputSoftBytes) return false
    const lastCalm = looks.slice(0, index).findLastIndex((look) => look.waitingBytes <= limits.outputSoftBytes)
    return (times[index] ?? 0) - (times[lastCalm + 1] ?? 0) >= limits.outputSoftMs
  })
}

const look: fc.Arbitrary<Look> = fc.record({
  afterMs: fc.oneof(fc.nat(500), fc.constantFrom(0, 1, 4_999, 5_000, 5_001)),
  waitingBytes: fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 1_001, max: 16_000 }) },
    { weight: 1, arbitrary: fc.nat(1_000) },
    { weight: 1, arbitrary: fc.constantFrom(0, 1_000, 1_001, 16_000, 16_001) }
  )
})

test("any history is judged by the time above the soft limit without a pause", () => {
  fc.assert(
    fc.property(fc.array(look, { maxLength: 40 }), (looks) => {
      expect(closedAt(looks)).toBe(expectedAt(looks))
    }),
    { numRuns: 3_000 }
  )
})

describe("at the limits", () => {
  const at = (waitingBytes: number, backpressure: Backpressure, nowMs: number) =>
    backpressureStep(backpressure, waitingBytes, nowMs, limits)

  test("exactly the soft limit is allowed, and ends backpressure", () => {
    expect(at(1_000, 3, 4_000)).toEqual({ backpressure: undefined })
  })

  test("a byte more counts from the first time it is seen", () => {
    expect(at(1_001, undefined, 70)).toEqual({ backpressure: 70 })
    expect(at(9_999, 70, 80)).toEqual({ backpressure: 70 })
  })

  test("the time is over at the limit, not after it", () => {
    expect(at(1_001, 70, 5_069)).toEqual({ backpressure: 70 })
    expect(at(1_001, 70, 5_070)).toEqual({ tooSlow: "more than 1000 bytes have been waiting for 5000 ms" })
  })

  test("exactly the hard limit is allowed, a byte more closes at the first check", () => {
    expect(at(16_000, undefined, 0)).toEqual({ backpressure: 0 })
    expect(at(16_001, undefined, 0)).toEqual({ tooSlow: "more than 16000 bytes are waiting" })
  })

  test("backpressure that began at the zero of the clock counts", () => {
    expect(at(1_001, 0, 5_000)).toHaveProperty("tooSlow")
  })
})
