/** Dates of the report filters: every form, its range, and text that is no date. */
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { hasLostPlus, isInSeconds, readDate } from "./dateRange.ts"

const dayMs = 86_400_000
/** The years 1 to 9999, which have four digits. */
const moments = fc.date({ min: new Date("0001-01-02T00:00:00Z"), max: new Date("9998-12-31T00:00:00Z"), noInvalidDate: true })

describe("a date", () => {
  test("without a time is its whole UTC day", () => {
    fc.assert(
      fc.property(moments, (date) => {
        const text = date.toISOString().slice(0, 10)
        const fromMs = Date.parse(`${text}T00:00:00.000Z`)
        expect(readDate(text)).toEqual({ fromMs, toMs: fromMs + dayMs })
      })
    )
  })

  test("with a time is that instant, in every zone", () => {
    fc.assert(
      fc.property(moments, fc.integer({ min: -14 * 60, max: 14 * 60 }), fc.boolean(), (date, offset, colon) => {
        const ms = date.getTime()
        const local = new Date(ms + offset * 60_000).toISOString().slice(0, -1)
        const minutes = Math.abs(offset)
        const parts = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, "0"))
        const zone = `${offset < 0 ? "-" : "+"}${parts.join(colon ? ":" : "")}`
        expect(readDate(`${local}${zone}`)).toEqual({ fromMs: ms, toMs: ms })
      })
    )
  })

  test("without a zone is UTC; seconds and their fraction are optional", () => {
    const ms = Date.parse("2026-01-31T12:30:00Z")
    for (const text of ["2026-01-31T12:30", "2026-01-31T12:30:00", "2026-01-31t12:30:00.000z", "2026-01-31T12:30:00.0"]) {
      expect(readDate(text), text).toEqual({ fromMs: ms, toMs: ms })
    }
  })

  test("of digits only is milliseconds since the epoch", () => {
    fc.assert(
      fc.property(fc.oneof(fc.integer({ min: 0, max: 999 }), fc.integer({ min: 1e11, max: 999_999_999_999_999 })), (ms) => {
        expect(readDate(String(ms))).toEqual({ fromMs: ms, toMs: ms })
        expect(isInSeconds(String(ms))).toBe(false)
      })
    )
  })

  test("is not a number of seconds", () => {
    fc.assert(
      fc.property(fc.integer({ min: 100_000_000, max: 99_999_999_999 }), (seconds) => {
        expect(readDate(String(seconds))).toBeUndefined()
        expect(isInSeconds(String(seconds))).toBe(true)
      })
    )
  })

  test.each([
    "",
    " ",
    "today",
    "2026",
    "202601",
    "20260131",
    "-1",
    "1.5",
    "1e3",
    "2026-1-1",
    "2026-02-29",
    "2026-02-30",
    "2026-13-01",
    "2026-00-10",
    "2026-04-31T00:00:00Z",
    "2026-01-31T24:00:00Z",
    "2026-01-31T12:60",
    "2026-01-31T12",
    "2026-01-31 12:00",
    "2026-01-31T12:00:00+24:00",
    "2026-01-31T12:00:00PST",
    "2026-W05",
    "+002026-01-31",
    "9".repeat(16),
    "0x10",
    "2026-01-31Z",
    "Sat, 31 Jan 2026 00:00:00 GMT"
  ])("is not %j", (text) => {
    expect(readDate(text)).toBeUndefined()
  })

  test("has lost its plus if one in the place of the last space makes it a date", () => {
    expect(["2026-01-31T12:00:00 02:00", "2026-01-31T12:00 0200"].map(hasLostPlus)).toEqual([true, true])
    expect(["2026-01-31 12:00", "2026-01-31T12:00:00+02:00", "2026-01-31T12:00 24:00", " 02:00", ""].some(hasLostPlus)).toBe(false)
  })

  test("never throws", () => {
    fc.assert(
      fc.property(fc.fullUnicodeString(), (text) => {
        const span = readDate(text)
        expect(span === undefined || span.fromMs <= span.toMs).toBe(true)
      })
    )
  })
})
