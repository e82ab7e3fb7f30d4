/** Limits that break their rule are refused by name; what is not given is the default. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { defaultLimits, leastOfLimit, type Limits, mostOfLimit } from "./limits.ts"
import { checkedLimits } from "./checkedLimits.ts"
import { InvalidOption } from "./invalidOption.ts"

const names = Object.keys(defaultLimits) as ReadonlyArray<keyof Limits>

const refusal = (limits: object): unknown => {
  try {
    return checkedLimits(limits)
  } catch (error) {
    return error instanceof InvalidOption ? { option: error.option, rule: error.rule } : error
  }
}

describe("the limits of a service", () => {
  it("are the defaults where nothing is given, or undefined", () => {
    expect(checkedLimits()).toEqual(defaultLimits)
    expect(checkedLimits(Object.fromEntries(names.map((name) => [name, undefined])))).toEqual(defaultLimits)
  })

  it("are taken from the least on", () => {
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.nat(), (name, more) => {
        const value = leastOfLimit(name) + (more % (mostOfLimit(name) - leastOfLimit(name) + 1))
        const given = { [name]: typeof defaultLimits[name] === "bigint" ? BigInt(value) : value }
        expect(checkedLimits(given)).toEqual({ ...defaultLimits, ...given })
      })
    )
  })

  it("are refused by name", () => {
    const wrong = fc.constantFrom<unknown>(-1, Number.NaN, 1.5, Number.POSITIVE_INFINITY, 2 ** 31, "5", null, -1n, {})
    fc.assert(
      fc.property(fc.constantFrom(...names), wrong, (name, value) => {
        expect(refusal({ [name]: value })).toMatchObject({ option: `limits.${name}`, rule: expect.stringContaining("must be a") })
      })
    )
    expect(refusal({ feedOverlaps: 3 })).toEqual({ option: "limits.feedOverlaps", rule: "is no limit; did you mean feedOverlap?" })
    expect(refusal({ memoryPages: 65_537 })).toMatchObject({ option: "limits.memoryPages" })
    expect(refusal({ hostCalls: 0 })).toEqual({ option: "limits.hostCalls", rule: "must be a whole number from 1 to 2147483647, not 0" })
  })
})
