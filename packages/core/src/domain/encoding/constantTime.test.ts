/** Constant-time equality agrees with plain equality. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { equalInConstantTime } from "./constantTime.ts"

describe("equalInConstantTime", () => {
  it("agrees with ===", () => {
    const near = fc
      .string({ minLength: 1 })
      .chain((text) =>
        fc.tuple(
          fc.constant(text),
          fc.oneof(
            fc.constant(text),
            fc.constant(text.slice(0, -1)),
            fc.constant(`${text}x`),
            fc.constant(`x${text.slice(1)}`),
            fc.constant(`${text.slice(0, -1)}x`),
            fc.string()
          )
        )
      )
    fc.assert(fc.property(near, ([given, expected]) => equalInConstantTime(given, expected) === (given === expected)))
  })

  it("handles an empty text", () => {
    expect(equalInConstantTime("", "a")).toBe(false)
    expect(equalInConstantTime("a", "")).toBe(false)
    expect(equalInConstantTime("", "")).toBe(true)
  })
})
