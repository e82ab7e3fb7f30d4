/** The form of program names: DNS labels joined by dots, never confused with an id. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readHexId } from "./hexId.ts"
import { isProgramName, plainReference, programReferenceForm } from "./programName.ts"

const labelOf = (min: number, max: number) =>
  fc
    .stringMatching(/^[a-z0-9][a-z0-9-]*$/)
    .map((text) => text.slice(0, max))
    .filter((text) => text.length >= min && !text.endsWith("-"))

const names = fc.array(labelOf(1, 12), { minLength: 2, maxLength: 8 }).map((labels) => labels.join("."))

describe("a program's name", () => {
  it("consists of labels and dots, and is kept unchanged", () => {
    fc.assert(
      fc.property(names, (name) => {
        expect([name, isProgramName(name), programReferenceForm.test(name)]).toEqual([name, true, true])
        expect(plainReference(name)).toBe(name)
        expect(readHexId(name)).toBeUndefined()
      })
    )
  })

  it("is refused in any other form", () => {
    fc.assert(
      fc.property(names, fc.constantFrom("", " ", "A", "_", "/", "ü", ".", "-."), fc.nat(), (name, wrong, at) => {
        const place = at % (name.length + 1)
        const text = wrong === "" ? name.replaceAll(".", "") : `${name.slice(0, place)}${wrong}${name.slice(place)}`
        // A dot inside a label splits it into two valid ones.
        fc.pre(wrong !== "." || /\.\.|^\.|\.$|-\.|\.-/.test(text))
        expect([text, isProgramName(text)]).toEqual([text, false])
      })
    )
  })

  it("is never an id, and an id is never a name", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9a-f]{64}$/), fc.boolean(), fc.boolean(), (id, prefixed, upper) => {
        const text = `${prefixed ? "0x" : ""}${upper ? id.toUpperCase() : id}`
        expect([isProgramName(text), programReferenceForm.test(text), plainReference(text)]).toEqual([false, true, id])
      })
    )
  })

  it("is at most 128 characters long, a label at most 63", () => {
    expect(isProgramName(`${"a".repeat(63)}.${"b".repeat(63)}`)).toBe(true)
    expect(isProgramName(`${"a".repeat(63)}.${"b".repeat(62)}.c`)).toBe(true)
    expect(isProgramName(`${"a".repeat(63)}.${"b".repeat(62)}.cd`)).toBe(false)
    expect(isProgramName(`${"a".repeat(64)}.b`)).toBe(false)
    // Matching must take linear time in the length of the text.
    expect(isProgramName("a-".repeat(1_000_000))).toBe(false)
  })
})
