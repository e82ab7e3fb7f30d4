/** The server's signer is byte for byte equal to core's reference. */
import { Signer } from "@sibyl/core"
import { Effect, type Layer, Redacted } from "effect"
import fc from "fast-check"
import { expect, test } from "vitest"
import { layerWasmSigner } from "./wasmSigner.ts"

const signed = (signer: Layer.Layer<Signer>, digest: Uint8Array) =>
  Signer.pipe(
    Effect.flatMap(({ publicKey, sign }) => Effect.map(sign(digest), (signature) => ({ publicKey, signature }))),
    Effect.provide(signer),
    Effect.runSync
  )

const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 })
/** The group order begins with 15 bytes of ff, so a secret with a smaller first byte is valid. */
const secrets = bytes32.filter(([first = 0]) => first > 0 && first < 255).map((bytes) => Redacted.make(bytes))

test("signs every digest with every secret as the reference does", () => {
  fc.assert(
    fc.property(secrets, bytes32, (secret, digest) => {
      const fast = signed(layerWasmSigner(secret), digest)
      expect(fast).toEqual(signed(Signer.layerFromSecret(secret), digest))
      expect(fast.signature).toHaveLength(65)
    })
  )
})

test.each([0x00, 0xff])("a secret outside the group order, all bytes %i, is a defect", (byte) => {
  const secret = Redacted.make(new Uint8Array(32).fill(byte))
  expect(() => signed(layerWasmSigner(secret), new Uint8Array(32))).toThrow()
})
