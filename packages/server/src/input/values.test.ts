/** Values as people type them: spans, moments, amounts, usage limits; what is printed can be typed again. */
import { Option } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { amountText, readAmount } from "./amount.ts"
import { durationMs, durationText } from "./duration.ts"
import { momentMs, momentText } from "./moment.ts"
import { readUsageLimit, usageLimitText } from "./usageLimit.ts"

describe("a span", () => {
  it("is read in every unit", () => {
    const read = ["0s", "500ms", "90s", "15m", "24h", "30d"].map((text) => Option.getOrThrow(durationMs(text)))
    expect(read).toEqual([0, 500, 90_000, 900_000, 86_400_000, 2_592_000_000])
  })

  it("that is printed can be read again", () => {
    fc.assert(
      fc.property(fc.nat({ max: Number.MAX_SAFE_INTEGER }), (ms) => {
        expect(durationMs(durationText(ms))).toEqual(Option.some(ms))
      })
    )
  })

  it("needs a whole number and a unit", () => {
    for (const text of ["", "5", "h", "1.5h", "-1s", "01s", "1 h", "1w", "1H", "9".repeat(30) + "d"]) {
      expect(durationMs(text), text).toEqual(Option.none())
    }
  })
})

describe("a moment", () => {
  const nowMs = Date.UTC(2026, 0, 1)

  it("is a date, a time with its offset, or a span from now", () => {
    const read = ["2027-01-31", "2027-01-31T12:00:00Z", "2027-01-31T12:00+02:00", "1d"].map((text) =>
      Option.map(momentMs(text, nowMs), (ms) => new Date(ms).toISOString())
    )
    expect(read.map(Option.getOrThrow)).toEqual([
      "2027-01-31T00:00:00.000Z",
      "2027-01-31T12:00:00.000Z",
      "2027-01-31T10:00:00.000Z",
      "2026-01-02T00:00:00.000Z"
    ])
  })

  it("that is printed can be read again", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) }), (atMs) => {
        expect(momentMs(momentText(atMs), nowMs)).toEqual(Option.some(atMs))
      })
    )
  })

  it("must exist, and must not depend on the local time zone", () => {
    for (const text of ["2027-02-30", "2027-13-01", "2027-01-31T12:00:00", "tomorrow", "2027", "2027-01-31T25:00Z"]) {
      expect(momentMs(text, nowMs), text).toEqual(Option.none())
    }
  })
})

describe("an amount", () => {
  it("of any size that is printed can be read again", () => {
    fc.assert(
      fc.property(fc.bigUintN(128), (amount) => {
        expect(readAmount(amountText(amount))).toEqual(Option.some(amount))
        expect(readAmount(`${amount}`)).toEqual(Option.some(amount))
      })
    )
  })

  it("consists of digits only, grouped by threes or not", () => {
    expect(readAmount("10_000")).toEqual(Option.some(10_000n))
    for (const text of ["", "-1", "1.5", "1,00", "1,000_000", ",100", "1e3", "0x10", " 1"]) {
      expect(readAmount(text), text).toEqual(Option.none())
    }
  })
})

describe("a usage limit", () => {
  it("that is printed can be read again", () => {
    const limit = fc.option(fc.record({ credits: fc.bigUintN(80), periodMs: fc.integer({ min: 1_000, max: 31_622_400_000 }) }), {
      nil: null
    })
    fc.assert(
      fc.property(limit, (value) => {
        expect(readUsageLimit(usageLimitText(value))).toEqual(Option.some(value))
      })
    )
  })

  it("needs both parts", () => {
    for (const text of ["1000", "/24h", "1000/", "1000/24h/2", "-1/24h", "None", "1/999ms", "1/367d"]) {
      expect(readUsageLimit(text), text).toEqual(Option.none())
    }
  })
})
