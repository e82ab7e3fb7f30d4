/** The signer of a server: the same signatures as core's own signer, several times as fast, by libsecp256k1 in WebAssembly. */
import { Signer } from "@sibyl/core"
import { Effect, Layer, Redacted } from "effect"
import { pointFromScalar, signRecoverable } from "tiny-secp256k1"

const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

/**
 * Signs in this process with RFC 6979 nonces and low s, byte for byte what `Signer.layerFromSecret` gives. The secret is 32
 * bytes, 1 to n−1; another one is a defect.
 */
export const layerWasmSigner = (secret: Redacted.Redacted<Uint8Array>): Layer.Layer<Signer> =>
  Layer.suspend(() => {
    const publicKey = pointFromScalar(Redacted.value(secret), true)
    if (publicKey === null) return Layer.die(new Error("the signing secret has no public key"))
    return Layer.succeed(Signer, {
      publicKey: toHex(publicKey),
      sign: (digest) =>
        Effect.sync(() => {
          const { recoveryId, signature } = signRecoverable(digest, Redacted.value(secret))
          const signed = new Uint8Array(65)
          signed.set(signature, 0)
          signed[64] = recoveryId
          return signed
        })
    })
  })
