/** Encoding and decoding round-trip, and malformed text is refused. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { equalBytes, fromBase64, fromBigEndian, fromHex, fromUtf8, toBase64, toBigEndian, toHex, toUtf8, toUtf8Lossy } from "./bytes.ts"

const bytes = fc.uint8Array({ maxLength: 300 })

describe("hex", () => {
  it("round-trips in any letter case, with and without 0x", () => {
    fc.assert(
      fc.property(bytes, fc.constantFrom("", "0x", "0X"), fc.boolean(), (value, prefix, upper) => {
        const hex = toHex(value)
        expect(hex).toMatch(/^[0-9a-f]*$/)
        expect(hex).toHaveLength(2 * value.length)
        expect(fromHex(prefix + (upper ? hex.toUpperCase() : hex))).toEqual(value)
      })
    )
  })

  it("refuses an odd length and a wrong digit", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), (text) => {
        const digits = text.replace(/^0x/i, "")
        const wellFormed = digits.length % 2 === 0 && digits.split("").every((digit) => "0123456789abcdefABCDEF".includes(digit))
        expect(fromHex(text) !== undefined).toBe(wellFormed)
      })
    )
    for (const text of ["0", "0x0", "zz", "0x0x00", " 00", "00\n", "0g"]) expect(fromHex(text), text).toBeUndefined()
  })
})

describe("base64", () => {
  it("round-trips, standard and URL-safe, with and without padding", () => {
    fc.assert(
      fc.property(bytes, fc.boolean(), fc.boolean(), (value, urlSafe, padded) => {
        const standard = toBase64(value)
        const safe = urlSafe ? standard.replaceAll("+", "-").replaceAll("/", "_") : standard
        expect(fromBase64(padded ? safe : safe.replaceAll("=", ""))).toEqual(value)
      })
    )
  })

  it("agrees with the runtime's own encoder, also beyond one chunk", () => {
    for (const length of [0, 1, 2, 3, 0x7fff, 0x8000, 0x8001, 100_000]) {
      const value = Uint8Array.from({ length }, (_, index) => (index * 31) % 256)
      expect(toBase64(value) === Buffer.from(value).toString("base64")).toBe(true)
    }
  })

  it("refuses a wrong length, wrong padding and foreign characters", () => {
    for (const text of ["A", "AAAAA", "AA=", "AAA==", "AAAA=", "=", "A=AA", "AA AA", "AA\n", "ä", "AAAA===="]) {
      expect(fromBase64(text), text).toBeUndefined()
    }
  })
})

describe("UTF-8", () => {
  it("round-trips, including a byte order mark", () => {
    fc.assert(
      fc.property(fc.fullUnicodeString({ maxLength: 50 }), fc.boolean(), (text, mark) => {
        const marked = mark ? `\ufeff${text}` : text
        expect(toUtf8(fromUtf8(marked))).toBe(marked)
        expect(toUtf8Lossy(fromUtf8(marked))).toBe(marked)
      })
    )
  })

  it("detects invalid UTF-8, and shows it with replacement characters", () => {
    fc.assert(
      fc.property(bytes, (value) => {
        const strict = toUtf8(value)
        const lossy = toUtf8Lossy(value)
        if (strict === undefined) expect(lossy).toContain("\ufffd")
        else expect(equalBytes(fromUtf8(strict), value) && strict === lossy).toBe(true)
      })
    )
    expect(toUtf8(Uint8Array.of(0xff))).toBeUndefined()
    expect(toUtf8(Uint8Array.of(0xc0, 0x80))).toBeUndefined()
    expect(toUtf8(Uint8Array.of(0xed, 0xa0, 0x80))).toBeUndefined()
  })
})

describe("big-endian integers", () => {
  it("round-trip within their size and wrap beyond it", () => {
    fc.assert(
      fc.property(fc.bigUint({ max: 2n ** 160n }), fc.integer({ min: 1, max: 24 }), (value, size) => {
        const written = toBigEndian(value, size)
        expect(written).toHaveLength(size)
        expect(fromBigEndian(written)).toBe(value % 256n ** BigInt(size))
      })
    )
  })

  it("put the most significant byte first", () => {
    expect(toBigEndian(0x0102n, 4)).toEqual(Uint8Array.of(0, 0, 1, 2))
  })
})

describe("equalBytes", () => {
  it("agrees with equality of the hex texts", () => {
    fc.assert(
      fc.property(fc.uint8Array({ max: 2, maxLength: 3 }), fc.uint8Array({ max: 2, maxLength: 3 }), (left, right) => {
        expect(equalBytes(left, right)).toBe(toHex(left) === toHex(right))
      })
    )
  })
})
