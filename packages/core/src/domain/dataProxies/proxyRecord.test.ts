/** Registering a data proxy: which input is accepted, and the normalized form of its key. */
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { Either } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { golden } from "../../testdata/vectors.ts"
import { proxyKeyOf } from "./proxyKey.ts"
import { checkedProxy, type DataProxyInput, maxProxyFeeCredits } from "./proxyRecord.ts"

const compressed = golden.testKey.publicKeyCompressed
const uncompressed = secp256k1.Point.fromHex(compressed).toHex(false)
const input: DataProxyInput = { publicKey: compressed, name: "Prices", feeCredits: 3n, active: true }

describe("a key", () => {
  it("has one normalized form, however it is written", () => {
    const points = fc.bigInt({ min: 1n, max: 2n ** 200n }).map((scalar) => secp256k1.Point.BASE.multiply(scalar))
    fc.assert(
      fc.property(points, fc.boolean(), fc.constantFrom("", "0x"), fc.boolean(), (point, short, prefix, upper) => {
        const hex = point.toHex(short)
        expect(proxyKeyOf(prefix + (upper ? hex.toUpperCase() : hex))).toBe(point.toHex(true))
      }),
      { numRuns: 30 }
    )
  })

  it.each(
    [
      "",
      "0x",
      "02",
      compressed.slice(2),
      `${compressed}00`,
      `05${compressed.slice(2)}`,
      `02${"ff".repeat(32)}`,
      `06${uncompressed.slice(2)}`,
      uncompressed.slice(0, -2),
      `${uncompressed.slice(0, -2)}ff`,
      `zz${compressed.slice(2)}`,
      "00".repeat(33),
      "00".repeat(1_000_000)
    ].map((text) => [text.slice(0, 140)] as const)
  )("is refused if invalid: %s", (text) => {
    expect(proxyKeyOf(text)).toBeUndefined()
  })
})

describe("an input", () => {
  it("is kept with its key normalized", () => {
    expect(checkedProxy({ ...input, publicKey: `0x${uncompressed.toUpperCase()}` })).toEqual(Either.right(input))
    const edges = [0n, maxProxyFeeCredits].map((feeCredits) => checkedProxy({ ...input, feeCredits }))
    expect(edges.every(Either.isRight)).toBe(true)
  })

  it.each([
    [{ publicKey: "02ab" }, "publicKey"],
    [{ name: "" }, "name"],
    [{ name: "two\nlines" }, "name"],
    [{ feeCredits: -1n }, "feeCredits"],
    [{ feeCredits: maxProxyFeeCredits + 1n }, "feeCredits"],
    [{ feeCredits: 5 as unknown as bigint }, "feeCredits"],
    [{ name: undefined as unknown as string }, "name"],
    [{ name: 5 as unknown as string }, "name"],
    [{ active: undefined as unknown as boolean }, "active"]
  ])("names the rule that it breaks: %o", (wrong, field) => {
    expect(Either.flip(checkedProxy({ ...input, ...wrong }))).toMatchObject({ _tag: "Right", right: { field } })
  })
})
