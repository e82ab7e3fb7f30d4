/** The remaining credits, and the period of a usage limit at a given time (decisions D15, D33). */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { emptyBalance, periodStartMs, remainingOf } from "./balance.ts"

describe("remainingOf", () => {
  it("is granted minus used minus held", () => {
    const credits = fc.bigUint({ max: 10n ** 30n })
    fc.assert(
      fc.property(credits, credits, credits, credits, (free, used, held, periodUsed) => {
        expect(remainingOf({ granted: free + used + held, used, held, periodUsed })).toBe(free)
      })
    )
    expect(remainingOf(emptyBalance)).toBe(0n)
  })
})

describe("periodStartMs", () => {
  it("is the last multiple of the period that is not after the given time", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_102_444_800_000 }), fc.integer({ min: 1, max: 86_400_000 }), (nowMs, periodMs) => {
        const start = periodStartMs(nowMs, periodMs)
        expect(start % periodMs).toBe(0)
        expect(start <= nowMs && nowMs < start + periodMs).toBe(true)
      })
    )
  })
})
