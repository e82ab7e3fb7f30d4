/** What is absent, or of another form, is told by its name. */
import fc from "fast-check"
import { expect, it } from "vitest"
import { bytesAt, partsOf, timeMsAt, wholeAt } from "./memberAt.ts"

it("reads whole numbers, bytes, dates and the parts of a cost", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }), fc.uint8Array(), fc.nat(), (whole, bytes, ms) => {
      const date = new Date(ms).toISOString()
      const printed = { whole: String(whole), bytes: Buffer.from(bytes).toString("hex"), inside: { date, small: ms } }
      expect(wholeAt(printed, "whole")).toBe(whole)
      expect(wholeAt(printed, "inside", "small")).toBe(BigInt(ms))
      expect([...bytesAt(printed, "bytes")]).toEqual([...bytes])
      expect(timeMsAt(printed, "inside", "date")).toBe(ms)
    })
  )
  expect(partsOf({ base: "1", gas: "20", dataProxies: "300" })).toBe("321")
})

it.each<readonly [told: string, read: () => unknown]>([
  ["data.gasUsed must be a whole number, and is absent", () => wholeAt({ data: {} }, "data", "gasUsed")],
  ['gasUsed must be a whole number, and is "-1"', () => wholeAt({ gasUsed: "-1" }, "gasUsed")],
  ["gasUsed must be a whole number, and is 1.5", () => wholeAt({ gasUsed: 1.5 }, "gasUsed")],
  ["dataProxies must be a whole number, and is null", () => partsOf({ base: "1", gas: "2", dataProxies: null })],
  ['memo must be bytes in hex, and is "abc"', () => bytesAt({ memo: "abc" }, "memo")],
  ['executedAt must be a date of ISO 8601, and is "soon"', () => timeMsAt({ executedAt: "soon" }, "executedAt")]
])("%s", (told, read) => {
  expect(read).toThrow(new Error(told))
})
