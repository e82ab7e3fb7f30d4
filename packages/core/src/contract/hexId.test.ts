/** Ids are accepted in every form of decision D7. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { fromUtf8 } from "../domain/encoding/bytes.ts"
import { programIdOf } from "../domain/programs/programId.ts"
import { readHexId } from "./hexId.ts"

const id = fc.hexaString({ minLength: 64, maxLength: 64 })

describe("readHexId", () => {
  it("normalizes every form to lowercase without 0x, and is idempotent", () => {
    fc.assert(
      fc.property(id, fc.constantFrom("", "0x", "0X"), fc.boolean(), (text, prefix, isUpper) => {
        expect(readHexId(prefix + (isUpper ? text.toUpperCase() : text))).toBe(text)
      })
    )
    const made = programIdOf(fromUtf8("a program"))
    expect(readHexId(made)).toBe(made)
  })

  it("refuses anything else", () => {
    fc.assert(
      fc.property(id, fc.nat({ max: 63 }), (text, at) => {
        expect(readHexId(text.slice(0, at))).toBeUndefined()
        expect(readHexId(`${text.slice(0, at)}g${text.slice(at + 1)}`)).toBeUndefined()
      })
    )
    for (const text of ["", `0x${"a".repeat(63)}`, "a".repeat(65), `${"a".repeat(64)}\n`, ` ${"a".repeat(64)}`]) {
      expect(readHexId(text), text).toBeUndefined()
    }
  })
})
