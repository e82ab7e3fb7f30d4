/** Limits that a phase reached are named with what they allow, and nothing else is taken for one. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { reachedLimits } from "./reachedLimits.ts"

test("each with what it allows", () => {
  expect(
    reachedLimits([
      { limit: "resultBytes", allowed: "96000" },
      { limit: "stack", allowed: null }
    ])
  ).toBe("resultBytes (96,000), stack")
  expect(reachedLimits([])).toBeUndefined()
  expect(reachedLimits(undefined)).toBeUndefined()
})

test("whatever stands in a file", () => {
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), fc.array(fc.record({ limit: fc.jsonValue(), allowed: fc.jsonValue() }))), (value) => {
      const named = Array.isArray(value) && value.some((one) => typeof (one as { limit?: unknown } | null)?.limit === "string")
      expect(reachedLimits(value) !== undefined).toBe(named)
    })
  )
})
