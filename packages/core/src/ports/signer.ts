/** The port to the signing key. */
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { Context, Effect, Layer, Redacted } from "effect"
import { toHex } from "../domain/encoding/bytes.ts"

/** How other threads of this process may sign with the key of a signer. */
export interface ThreadSigning {
  /**
   * The URL of an ES module that exports `sign(digest, secret)`, with the same signatures as the signer's. It has no native code: threads
   * are ended at any moment, which a native function does not survive.
   */
  readonly module: string
  readonly secret: Redacted.Redacted<Uint8Array>
}

/** Signs result ids. The key never leaves it, unless it says otherwise. */
export class Signer extends Context.Tag("@sibyl/core/Signer")<
  Signer,
  {
    /** SEC1 compressed, 66 lowercase hex characters. */
    readonly publicKey: string
    /** Signs a 32-byte digest without hashing it again: 65 bytes r‖s‖v, low s, v 0 or 1. */
    readonly sign: (digest: Uint8Array) => Effect.Effect<Uint8Array>
    /** Set if the threads that run programs may sign results themselves. Absent: every signature is made by `sign`. */
    readonly inThreads?: ThreadSigning
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
