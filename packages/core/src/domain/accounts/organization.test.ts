/** A slug is a DNS label. */
import { Either } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { checkedSlug } from "./organization.ts"

const isSlug = (slug: string): boolean => Either.isRight(checkedSlug(slug))
const letter = fc.constantFrom(...Array.from("abcdefghijklmnopqrstuvwxyz0123456789"))
const inner = fc.stringOf(fc.oneof(letter, fc.constant("-")), { maxLength: 61 })

describe("checkedSlug", () => {
  it("accepts letters, digits and inner hyphens unchanged", () => {
    fc.assert(
      fc.property(letter, inner, letter, (first, between, last) => {
        expect(checkedSlug(first + between + last)).toEqual(Either.right(first + between + last))
        expect(isSlug(first)).toBe(true)
      })
    )
  })

  it("refuses any other character, a hyphen at the ends, and a slug that is too long", () => {
    const other = fc.fullUnicode().filter((character) => !/[a-z0-9-]/.test(character))
    fc.assert(
      fc.property(inner, other, inner, (before, character, after) => {
        expect(isSlug(before + character + after)).toBe(false)
      })
    )
    for (const slug of ["", "-", "-a", "a-", "a".repeat(64), "a\n"]) expect(isSlug(slug), slug).toBe(false)
    expect(isSlug("a".repeat(63))).toBe(true)
  })

  it("refuses what is no text, such as the value of an option that was left out", () => {
    for (const slug of [undefined, null, 5, ["acme"]]) expect(isSlug(slug as unknown as string), String(slug)).toBe(false)
  })
})
