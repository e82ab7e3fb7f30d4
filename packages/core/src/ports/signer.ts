/** The port to the signing key. */
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { Context, Effect, Layer, Redacted } from "effect"
import { toHex } from "../domain/encoding/bytes.ts"
import type { ListedKey } from "../domain/signingKeys/listedKey.ts"

/** How other threads of this process may sign with the key of a signer. */
export interface ThreadSigning {
  /**
   * The URL of an ES module that exports `sign(digest, secret)`, with the same signatures as the signer's. `sign` may run native code,
   * which does not survive the end of its thread: no thread is ended within a call of it. While the module is loaded, it may be.
   */
  readonly module: string
  readonly secret: Redacted.Redacted<Uint8Array>
  /** The key of the secret, as in `publicKey` of the signer. */
  readonly publicKey: string
}

/** The keys of a signer that changes its key while it runs (decision "Rotation"). */
export interface RotatingKeys {
  /** The key that signs results with this timestamp, as every server of the database knows it. */
  readonly keyAt: (timestampMs: number) => Effect.Effect<string>
  /** Every key, for verifiers; as known if the store of the keys does not answer. */
  readonly listed: Effect.Effect<ReadonlyArray<ListedKey>>
}

/** Signs result ids. The key never leaves it, unless it says otherwise. */
export class Signer extends Context.Tag("@sibyl/core/Signer")<
  Signer,
  {
    /** The key that signs now, SEC1 compressed, 66 lowercase hex characters. */
    readonly publicKey: string
    /**
     * Signs a 32-byte digest without hashing it again: 65 bytes r‖s‖v, low s, v 0 or 1. With the key of a timestamp (ms since the Unix
     * epoch), which is that of the result; without one, of now.
     */
    readonly sign: (digest: Uint8Array, timestampMs?: number) => Effect.Effect<Uint8Array>
    /** Signs at once like `sign`; `undefined` if the key of this time is not at hand. Absent: signatures take a while, such as those of another machine, and each is verified. */
    readonly signNow?: (digest: Uint8Array, timestampMs: number) => Uint8Array | undefined
    /** Set if the key may change while the service runs. Absent: `publicKey` signs everything. */
    readonly rotation?: RotatingKeys
    /** Set if the threads that run programs may sign results themselves. Absent: every signature is made by `sign`. */
    readonly inThreads?: ThreadSigning
  }
>() {
  /** Signs in this process with RFC 6979 nonces. The secret is 32 bytes, 1 to n−1; any other is a defect. */
  static readonly layerFromSecret = (secret: Redacted.Redacted<Uint8Array>): Layer.Layer<Signer> =>
    Layer.sync(Signer, () => ({
      publicKey: publicKeyOfSecret(Redacted.value(secret)),
      sign: (digest) => Effect.sync(() => signDigest(digest, Redacted.value(secret))),
      signNow: (digest) => signDigest(digest, Redacted.value(secret))
    }))
}

/** The public key of a secret, SEC1 compressed in lowercase hex. */
export const publicKeyOfSecret = (secret: Uint8Array): string => toHex(secp256k1.getPublicKey(secret, true))

/** Signs a digest of 32 bytes: 65 bytes r‖s‖v. */
export const signDigest = (digest: Uint8Array, secret: Uint8Array): Uint8Array => {
  // The library puts the recovery bit first; the protocol puts it last.
  const signed = secp256k1.sign(digest, secret, { prehash: false, format: "recovered" })
  const signature = new Uint8Array(65)
  signature.set(signed.subarray(1), 0)
  signature[64] = signed[0] ?? 0
  return signature
}
