/** With the list of `GET /info`, a result is accepted from the key of its timestamp only, and for as long as that is listed. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { liveParts, livePart, networkKeys, signedWithTestKey } from "../testdata/signedResponses.ts"
import { testPublicKey } from "../testdata/vectors.ts"
import { type ListedSigner, verify, type VerifyOptions } from "../verify.ts"

const outcomeOf = (response: unknown, options: VerifyOptions): string => {
  const verdict = verify(response, options)
  return verdict.ok ? "accepted" : [verdict.reason, verdict.field].join(" ").trim()
}

const dateOf = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())
const bound = fc.oneof(fc.constant(null), fc.integer({ min: 0, max: 100_000 }))

describe("a list of keys", () => {
  it("accepts a result of a key's time while the key is valid, and says otherwise what is wrong", () => {
    const times = fc.record({ activeFrom: bound, retiredAt: bound, validUntil: bound, signedAt: fc.nat(100_000), nowMs: fc.nat(100_000) })
    fc.assert(
      fc.property(times, ({ activeFrom, nowMs, retiredAt, signedAt, validUntil }) => {
        const response = signedWithTestKey(livePart.dataRequest, { ...livePart.dataResult, blockTimestamp: String(signedAt) })
        const key = {
          publicKey: testPublicKey,
          activeFrom: dateOf(activeFrom),
          retiredAt: dateOf(retiredAt),
          validUntil: dateOf(validUntil)
        }
        const inTime = activeFrom !== null && activeFrom <= signedAt && (retiredAt === null || signedAt < retiredAt)
        const isValid = inTime && (validUntil === null || nowMs < validUntil)
        const other = { publicKey: networkKeys.mainnet, activeFrom: dateOf(0), retiredAt: null, validUntil: null }
        const expected = isValid ? "accepted" : "keyNotValid dataResult.blockTimestamp"
        expect(outcomeOf(response, { keys: [other, key], nowMs })).toBe(expected)
        expect(outcomeOf(response, { keys: [other], nowMs })).toBe("wrongSigner")
      }),
      { numRuns: 40 }
    )
  })

  it("accepts what its one key signs, like that key alone", () => {
    const keys = [{ publicKey: networkKeys.mainnet, activeFrom: dateOf(0), retiredAt: null, validUntil: null }]
    for (const part of liveParts) {
      expect(outcomeOf(part, { keys, nowMs: 0 })).toBe(outcomeOf(part, { publicKey: networkKeys.mainnet }))
    }
  })

  it.each([
    [[], 0, "keys"],
    [undefined, 0, "keys"],
    [[{ publicKey: "zz" }], 0, "keys.0.publicKey"],
    [[{ publicKey: testPublicKey, activeFrom: "soon", retiredAt: null, validUntil: null }], 0, "keys.0"],
    [[{ publicKey: testPublicKey, activeFrom: null, retiredAt: undefined, validUntil: null }], 0, "keys.0"],
    [[{ publicKey: testPublicKey, activeFrom: null, retiredAt: null, validUntil: null }], undefined, "nowMs"]
  ])("that is malformed is refused: %j", (keys, nowMs, field) => {
    const options = { keys: keys as ReadonlyArray<ListedSigner>, nowMs: nowMs as number }
    expect(outcomeOf(livePart, options)).toBe(`badOption ${field}`)
  })
})
