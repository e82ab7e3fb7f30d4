/** The server's signer, and each implementation that it may use, is byte for byte equal to core's reference. */
import { arch, platform } from "node:process"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { Signer } from "@sibyl/core"
import { soakCount } from "@sibyl/testing/soak"
import { Effect, type Layer, Redacted } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { layerLocalSigner } from "./localSigner.ts"
import { fastestSignatures, nativeSignatures, wasmSignatures } from "./fastestSignatures.ts"
import type { Signatures } from "./signatures.ts"

const order = secp256k1.Point.Fn.ORDER
const bytesOf = (value: bigint): Uint8Array => Uint8Array.from(Buffer.from(value.toString(16).padStart(64, "0"), "hex"))

/** All secrets, those at the edges of the group order more often. */
const secrets = fc.oneof(
  { weight: 8, arbitrary: fc.bigInt({ min: 1n, max: order - 1n }) },
  { weight: 1, arbitrary: fc.bigInt({ min: 1n, max: 1_000n }) },
  { weight: 1, arbitrary: fc.bigInt({ min: order - 1_000n, max: order - 1n }) }
)

/** Digests below the group order, those at the edges more often; a hash gives another one once in 2^128. */
const digests = fc.oneof(
  { weight: 8, arbitrary: fc.bigInt({ min: 0n, max: order - 1n }).map(bytesOf) },
  { weight: 1, arbitrary: fc.bigInt({ min: order - 3n, max: order - 1n }).map(bytesOf) },
  { weight: 1, arbitrary: fc.bigInt({ min: 0n, max: 2n }).map(bytesOf) }
)

/** For these, the nonces of implementations differ: RFC 6979 reduces the digest first, libsecp256k1 does not. */
const largeDigests = fc.bigInt({ min: order, max: 2n ** 256n - 1n }).map(bytesOf)

const referenceOf = (digest: Uint8Array, secret: Uint8Array): Uint8Array => {
  const signed = secp256k1.sign(digest, secret, { prehash: false, format: "recovered" })
  return Uint8Array.of(...signed.subarray(1), signed[0] ?? 0)
}

const signed = (signer: Layer.Layer<Signer>, digest: Uint8Array) =>
  Signer.pipe(
    Effect.flatMap(({ publicKey, sign }) => Effect.map(sign(digest), (signature) => ({ publicKey, signature }))),
    Effect.provide(signer),
    Effect.runSync
  )

const implementations: ReadonlyArray<readonly [string, Signatures]> = [
  ["WebAssembly", wasmSignatures],
  ...(nativeSignatures === undefined ? [] : [["native code", nativeSignatures] as const])
]

describe.each(implementations)("%s", (_, { publicKeyOf, sign }) => {
  it("gives the public key and the signature of the reference for hundreds of secrets and digests, in a soak for thousands", () => {
    fc.assert(
      fc.property(secrets, digests, (value, digest) => {
        const secret = bytesOf(value)
        expect(Buffer.from(publicKeyOf(secret)).equals(secp256k1.getPublicKey(secret, true))).toBe(true)
        expect(Buffer.from(sign(digest, secret)).equals(referenceOf(digest, secret))).toBe(true)
      }),
      { numRuns: soakCount({ everyday: 300, full: 5_000 }) }
    )
  })

  it("gives valid signatures with low s for digests beyond the group order, too", () => {
    fc.assert(
      fc.property(secrets, largeDigests, (value, digest) => {
        const secret = bytesOf(value)
        const signature = sign(digest, secret).subarray(0, 64)
        expect(secp256k1.verify(signature, digest, secp256k1.getPublicKey(secret, true), { prehash: false, lowS: true })).toBe(true)
      }),
      { numRuns: 50 }
    )
  })
})

describe("the server's signer", () => {
  it("uses native code where the package has it", () => {
    if (platform === "linux" && arch === "x64") expect(nativeSignatures).toBeDefined()
    expect(fastestSignatures).toBe(nativeSignatures ?? wasmSignatures)
  })

  it("signs as core's signer does", () => {
    fc.assert(
      fc.property(secrets, digests, (value, digest) => {
        const secret = Redacted.make(bytesOf(value))
        expect(signed(layerLocalSigner(secret), digest)).toEqual(signed(Signer.layerFromSecret(secret), digest))
      }),
      { numRuns: 50 }
    )
  })

  it.each([0x00, 0xff])("a secret outside the group order, all bytes %i, is a defect", (byte) => {
    const secret = Redacted.make(new Uint8Array(32).fill(byte))
    expect(() => signed(layerLocalSigner(secret), new Uint8Array(32))).toThrow()
  })
})
