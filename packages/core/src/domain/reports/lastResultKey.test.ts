/** Two requests share a last result only if all four values are equal (decision D28). */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { toHex } from "../encoding/bytes.ts"
import type { LastResultKey } from "../protocol/dataRequest.ts"
import { lastResultKeyOf } from "./lastResultKey.ts"

const textOf = (key: LastResultKey): string =>
  JSON.stringify([key.execProgramId, toHex(key.execInputs), key.tallyProgramId, toHex(key.tallyInputs)])

describe("lastResultKeyOf", () => {
  it("distinguishes keys whose parts concatenate to the same text", () => {
    // Few letters and short parts, so that most pairs are equal when concatenated and split elsewhere.
    const bytes = fc.array(fc.constantFrom(0x61, 0x62), { maxLength: 3 }).map((values) => Uint8Array.from(values))
    const id = fc.stringOf(fc.constantFrom("a", "b"), { maxLength: 2 })
    const key = fc.record({ execProgramId: id, execInputs: bytes, tallyProgramId: id, tallyInputs: bytes })
    fc.assert(
      fc.property(key, key, (left, right) => {
        expect(lastResultKeyOf(left) === lastResultKeyOf(right)).toBe(textOf(left) === textOf(right))
        expect(lastResultKeyOf(left)).toMatch(/^[0-9a-f]{64}$/)
      }),
      { numRuns: 5_000 }
    )
  })
})
