/** Display names fit on a line of a table, in any language. */
import { Either } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { checkedName } from "./displayName.ts"

const isName = (name: string): boolean => Either.isRight(checkedName("name", name))

describe("checkedName", () => {
  it("accepts names in any language, unchanged", () => {
    for (const name of ["a", "Acme & Söhne", "株式会社", "🦊 fox", "👩‍👩‍👧", "a".repeat(100), "🦊".repeat(100)]) {
      expect(checkedName("name", name), name).toEqual(Either.right(name))
    }
    expect(checkedName("name", null)).toEqual(Either.right(null))
  })

  it("refuses names that break the line, with the name of the field", () => {
    const names = ["", " ", " a", "a ", "a\n", "\na", "a\tb", "a\u0000b", "a\u001b[31mb", "a\u0085", "a\u2028b", "\u202eabc"]
    for (const name of [...names, "\ud800", "a".repeat(101), "🦊".repeat(101), "a\u00a0"]) {
      expect(isName(name), JSON.stringify(name)).toBe(false)
    }
    const refusal = Either.getLeft(checkedName("label", ""))
    expect(refusal).toMatchObject({ value: { _tag: "InvalidSetting", field: "label" } })
  })

  it("never accepts a control character, at any position", () => {
    const control = fc.integer({ min: 0, max: 0x9f }).filter((code) => code < 0x20 || code >= 0x7f)
    fc.assert(
      fc.property(fc.string(), control, fc.string(), (before, code, after) => {
        expect(isName(before + String.fromCharCode(code) + after)).toBe(false)
      })
    )
  })
})
