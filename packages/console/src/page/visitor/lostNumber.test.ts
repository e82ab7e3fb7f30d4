/** Which numbers a page would change. */
import fc from "fast-check"
import { expect, it } from "vitest"
import { lostNumber } from "./lostNumber.ts"

it.each([
  ['{"n":12345678901234567890}', "12345678901234567890"],
  ["[1, 9007199254740993]", "9007199254740993"],
  ["1e400", "1e400"],
  ['{"a":{"b":[-1e999]}}', "-1e999"],
  ['{"n":"12345678901234567890"}', undefined],
  ['{"12345678901234567890\\"":1}', undefined],
  ["[0, -0, 1.10, 1e3, 0.1, 9007199254740991]", undefined],
  ["{}", undefined]
])("%s: %s", (text, lost) => expect(lostNumber(text)).toBe(lost))

it("finds none in what a page has written itself", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(lostNumber(JSON.stringify(value))).toBeUndefined()
    })
  )
})

it("finds whatever integer a round trip changes", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), (n) => {
      expect(lostNumber(`[${n}]`)).toBe(String(Number(n)) === String(n) ? undefined : String(n))
    })
  )
})
