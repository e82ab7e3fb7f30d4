/** Signatures by libsecp256k1 in this thread: native code where it has been built for this machine, else WebAssembly. */
import { isMainThread } from "node:worker_threads"
import { loadNativeSignatures } from "./nativeSignatures.ts"
import { publicKeyOf, sign } from "./wasmSignatures.ts"

/** One implementation of the same signatures: RFC 6979 nonces, low s. A secret outside of 1 to n−1 is a defect. */
export interface Signatures {
  /** The public key of a secret of 32 bytes, SEC1 compressed. */
  readonly publicKeyOf: (secret: Uint8Array) => Uint8Array
  /** Signs a digest of 32 bytes without hashing it again: 65 bytes r‖s‖v, v 0 or 1. */
  readonly sign: (digest: Uint8Array, secret: Uint8Array) => Uint8Array
}

/** WebAssembly, which runs wherever the server does. */
export const wasmSignatures: Signatures = { publicKeyOf, sign }

/**
 * Native code, three times as fast; undefined on machines for which the package has none, and in a thread that was started by another one,
 * which may end it at any moment: native code does not survive that.
 */
export const nativeSignatures: Signatures | undefined = isMainThread ? loadNativeSignatures() : undefined

/** The fastest implementation of this machine. */
export const fastestSignatures: Signatures = nativeSignatures ?? wasmSignatures
