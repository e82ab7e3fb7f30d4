/** Every number of a result is found at its place, up to a bound. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { numbersIn } from "./numbersIn.ts"

test("the numbers of an object are those of its members, each at its place", () => {
  const flat = fc.dictionary(
    fc.stringMatching(/^[a-z]{1,4}$/),
    fc.oneof(fc.double({ noNaN: true }), fc.constant("text"), fc.constant(null)),
    { maxKeys: 30 }
  )
  fc.assert(
    fc.property(flat, (members) => {
      const numbers = new Map(Object.entries(members).filter((entry): entry is [string, number] => typeof entry[1] === "number"))
      expect(numbersIn(members)).toEqual(numbers)
      expect(numbersIn({ inside: [members] })).toEqual(new Map([...numbers].map(([name, value]) => [`inside.0.${name}`, value])))
    })
  )
})

test("for any JSON there are only numbers, and not too many", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      const numbers = numbersIn(value)
      expect(numbers.size).toBeLessThanOrEqual(40)
      expect([...numbers.values()].every((number) => typeof number === "number" && !Number.isNaN(number))).toBe(true)
    })
  )
})

test.each([
  ["0x0010", "", 16],
  [{ price: "96824.5" }, "price", 96_824.5],
  [{ price: "high" }, "price", undefined]
])("in %j, %s is %s", (value, place, number) => {
  expect(numbersIn(value).get(place)).toBe(number)
})
