/** The lifetime of keys: expiry, rotation, last use. */
import { Either } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { checkedExpiry, checkedOverlap, keyStateAt, lastUseIsDue, rotatedExpiry } from "./keyRecord.ts"

const now = fc.nat({ max: 4_102_444_800_000 })
const dayMs = 86_400_000

describe("keyStateAt", () => {
  it("is active until the time of expiry, and revoked at any time", () => {
    fc.assert(
      fc.property(now, fc.integer({ min: 1, max: dayMs }), (nowMs, ms) => {
        const key = { expiresAtMs: nowMs + ms, revokedAtMs: null }
        expect(keyStateAt(key, nowMs)).toBe("active")
        expect(keyStateAt(key, nowMs + ms - 1)).toBe("active")
        expect(keyStateAt(key, nowMs + ms)).toBe("expired")
        expect(keyStateAt({ expiresAtMs: null, revokedAtMs: null }, nowMs)).toBe("active")
        expect(keyStateAt({ ...key, revokedAtMs: nowMs + ms }, nowMs)).toBe("revoked")
      })
    )
  })
})

describe("checkedExpiry", () => {
  it("accepts a whole millisecond in the future, or nothing for never", () => {
    fc.assert(
      fc.property(now, fc.integer({ min: 1, max: dayMs }), (nowMs, ms) => {
        expect(checkedExpiry(nowMs + ms, nowMs)).toEqual(Either.right(nowMs + ms))
        expect(Either.isLeft(checkedExpiry(nowMs + 1 - ms, nowMs))).toBe(true)
        expect(Either.isLeft(checkedExpiry(nowMs + ms + 0.5, nowMs))).toBe(true)
        expect(checkedExpiry(undefined, nowMs)).toEqual(Either.right(null))
      })
    )
  })

  it("accepts only what a date can represent", () => {
    expect(Either.isRight(checkedExpiry(8.64e15, 0))).toBe(true)
    expect(new Date(8.64e15).toISOString()).toContain("275760")
    for (const expiresAtMs of [8.64e15 + 1, Number.POSITIVE_INFINITY, Number.NaN]) {
      expect(Either.isLeft(checkedExpiry(expiresAtMs, 0)), `${expiresAtMs}`).toBe(true)
    }
  })
})

describe("a rotation", () => {
  it("ends the old key after the overlap, never later than its own expiry", () => {
    fc.assert(
      fc.property(now, fc.nat({ max: dayMs }), fc.option(fc.nat({ max: dayMs })), (nowMs, overlapMs, left) => {
        const before = left === null ? null : nowMs + left
        const after = rotatedExpiry(before, overlapMs, nowMs)
        expect(after - nowMs).toBeLessThanOrEqual(overlapMs)
        expect(after).toBeLessThanOrEqual(before ?? after)
        expect([nowMs + overlapMs, before]).toContain(after)
      })
    )
  })

  it("accepts an overlap of a whole number of milliseconds up to a year", () => {
    for (const overlapMs of [0, 1, 366 * dayMs]) expect(checkedOverlap(overlapMs)).toEqual(Either.right(overlapMs))
    for (const overlapMs of [-1, 0.5, 366 * dayMs + 1, Number.NaN]) {
      expect(Either.getLeft(checkedOverlap(overlapMs)), `${overlapMs}`).toMatchObject({ value: { field: "overlapMs" } })
    }
  })
})

describe("lastUseIsDue", () => {
  it("is written at most once a minute, and is at most that much behind", () => {
    fc.assert(
      fc.property(now, fc.array(fc.nat({ max: 100_000 }), { maxLength: 50 }), (startMs, gaps) => {
        const written: Array<number> = []
        let nowMs = startMs
        for (const gap of gaps) {
          nowMs += gap
          const last = written.at(-1) ?? null
          if (lastUseIsDue(last, nowMs)) {
            written.push(nowMs)
            expect(last === null || nowMs - last >= 60_000).toBe(true)
          }
          expect(nowMs - (written.at(-1) ?? 0)).toBeLessThan(60_000)
        }
      })
    )
  })
})
