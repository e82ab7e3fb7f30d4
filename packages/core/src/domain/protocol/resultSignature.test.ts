/** Recovery of a signature's signer, and the refusal of malformed signatures. */
import { secp256k1 } from "@noble/curves/secp256k1.js"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { bytesOf, golden } from "../../testdata/vectors.ts"
import { fromBigEndian, toBigEndian, toHex } from "../encoding/bytes.ts"
import { recoverSigner } from "./resultSignature.ts"

const [vector] = golden.resultId
const digest = bytesOf(vector?.resultId ?? "")
const signature = bytesOf(vector?.signatureByTestKey_rfc6979 ?? "")
const signer = golden.testKey.publicKeyCompressed

const withV = (v: number): Uint8Array => Uint8Array.of(...signature.subarray(0, 64), v)

describe("recoverSigner", () => {
  it("accepts v as 0 and 1 and as 27 and 28", () => {
    const v = signature[64] ?? 0
    expect(recoverSigner(digest, signature)).toBe(signer)
    expect(recoverSigner(digest, withV(v + 27))).toBe(signer)
    expect(recoverSigner(digest, withV(1 - v))).not.toBe(signer)
    for (const other of [2, 3, 26, 29, 30, 255]) expect(recoverSigner(digest, withV(other)), String(other)).toBeUndefined()
  })

  it("refuses the equivalent signature with a high s, as on-chain verifiers do", () => {
    const s = fromBigEndian(signature.subarray(32, 64))
    const { n } = secp256k1.Point.CURVE()
    const twin = Uint8Array.of(...signature.subarray(0, 32), ...toBigEndian(n - s, 32), 1 - (signature[64] ?? 0))
    expect(s <= n / 2n).toBe(true)
    expect(recoverSigner(digest, twin)).toBeUndefined()
  })

  it("recovers the key for any key and digest", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 2n ** 255n }), fc.uint8Array({ minLength: 32, maxLength: 32 }), (secret, message) => {
        const key = toBigEndian(secret, 32)
        const [recovery = 0, ...rest] = secp256k1.sign(message, key, { prehash: false, format: "recovered" })
        expect(recoverSigner(message, Uint8Array.of(...rest, recovery))).toBe(toHex(secp256k1.getPublicKey(key, true)))
      }),
      { numRuns: 20 }
    )
  })

  it("never throws on any bytes", () => {
    const tampered = fc.tuple(fc.nat(63), fc.nat(255)).map(([at, byte]) => signature.map((old, index) => (index === at ? byte : old)))
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 70 }), tampered), fc.uint8Array({ maxLength: 40 }), (bytes, message) => {
        expect(recoverSigner(message, bytes) ?? signer).toHaveLength(66)
        if (toHex(bytes) !== toHex(signature)) expect(recoverSigner(digest, bytes)).not.toBe(signer)
      }),
      { numRuns: 100 }
    )
    expect(recoverSigner(digest, new Uint8Array(65))).toBeUndefined()
    expect(recoverSigner(digest.subarray(1), signature)).toBeUndefined()
    expect(recoverSigner(digest, signature.subarray(0, 64))).toBeUndefined()
  })
})
