/** The port to the signing key. */
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { Context, Effect, Layer, Redacted } from "effect"
import { toHex } from "../domain/encoding/bytes.ts"

/** Signs result ids. The key never leaves it. */
export class Signer extends Context.Tag("@sibyl/core/Signer")<
  Signer,
  {
    /** SEC1 compressed, 66 lowercase hex characters. */
    readonly publicKey: string
    /** Signs a 32-byte digest without hashing it again: 65 bytes r‖s‖v, low s, v 0 or 1. */
    readonly sign: (digest: Uint8Array) => Effect.Effect<Uint8Array>
  }
>() {
  /** Signs in this process with RFC 6979 nonces. The secret is 32 bytes, 1 to n−1; any other is a defect. */
  static readonly layerFromSecret = (secret: Redacted.Redacted<Uint8Array>): Layer.Layer<Signer> =>
    Layer.sync(Signer, () => ({
      publicKey: toHex(secp256k1.getPublicKey(Redacted.value(secret), true)),
      sign: (digest) =>
        Effect.sync(() => {
          // The library puts the recovery bit first; the protocol puts it last.
          const signed = secp256k1.sign(digest, Redacted.value(secret), { prehash: false, format: "recovered" })
          const signature = new Uint8Array(65)
          signature.set(signed.subarray(1), 0)
          signature[64] = signed[0] ?? 0
          return signature
        })
    }))
}
