/** Ids of later times sort after earlier ones, and no id occurs twice. */
import fc from "fast-check"
import { expect, it } from "vitest"
import { hashedUuid, timeOrderedUuid, uuidOf } from "./uuid.ts"

const random = fc.uint8Array({ minLength: 16, maxLength: 16 })
const timeMs = fc.nat({ max: 2 ** 47 })

it("sort by time, whatever their random part", () => {
  fc.assert(
    fc.property(timeMs, timeMs, random, random, (left, right, one, other) => {
      const [a, b] = [timeOrderedUuid(left, one), timeOrderedUuid(right, other)]
      if (left !== right) expect(a < b).toBe(left < right)
      expect(a).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    })
  )
})

it("tell their time, and keep all but six of their random bits", () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), random, (nowMs, bytes) => {
      const text = timeOrderedUuid(nowMs, bytes).replaceAll("-", "")
      expect(text).toHaveLength(32)
      expect(Number.parseInt(text.slice(0, 12), 16)).toBe(Math.max(0, nowMs) % 2 ** 48)
      const kept = bytes.map((byte, at) => (at === 6 ? (byte & 0x0f) | 0x70 : at === 8 ? (byte & 0x3f) | 0x80 : byte))
      expect(text.slice(12)).toBe(Buffer.from(kept).toString("hex").slice(12))
      expect(uuidOf(bytes).replaceAll("-", "").slice(13)).toBe(Buffer.from(kept).toString("hex").slice(13, 32))
      expect(uuidOf(bytes).slice(0, 8)).toBe(Buffer.from(bytes).toString("hex").slice(0, 8))
    })
  )
})

it("match the standard's example", () => {
  // RFC 9562, appendix A.6: 2022-02-22 19:22:22 UTC, rand_a 0xCC3, rand_b 0x18C4DC0C0C07398F.
  const bytes = Uint8Array.from([0, 0, 0, 0, 0, 0, 0x0c, 0xc3, 0x18, 0xc4, 0xdc, 0x0c, 0x0c, 0x07, 0x39, 0x8f])
  expect(timeOrderedUuid(1_645_557_742_000, bytes)).toBe("017f22e2-79b0-7cc3-98c4-dc0c0c07398f")
  expect(timeOrderedUuid(1_645_557_742_000, bytes)).not.toBe(timeOrderedUuid(1_645_557_742_000, bytes.toReversed()))
})

it("have version 4 if they are random", () => {
  expect(uuidOf(new Uint8Array(16))).toBe("00000000-0000-4000-8000-000000000000")
  expect(uuidOf(new Uint8Array(16).fill(0xff))).toBe("ffffffff-ffff-4fff-bfff-ffffffffffff")
})

it("have version 8 if they are made of a hash, of which they keep all but six bits", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.nat({ max: 127 }), (hash, bit) => {
      const other = Uint8Array.from(hash, (byte, at) => (at === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte))
      const isMarked = (bit >> 3 === 6 && (bit & 7) >= 4) || (bit >> 3 === 8 && (bit & 7) >= 6)
      expect(hashedUuid(hash) === hashedUuid(other)).toBe(isMarked)
      expect(hashedUuid(hash)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    })
  )
})
