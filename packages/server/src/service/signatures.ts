/** Signatures by libsecp256k1 in this thread: native code where it has been built for this machine, else WebAssembly. */
import { createRequire } from "node:module"
import { withRecoveryId } from "./recoveryId.ts"
import { publicKeyOf, sign } from "./wasmSignatures.ts"

/** One implementation of the same signatures: RFC 6979 nonces, low s. A secret outside of 1 to n−1 is a defect. */
export interface Signatures {
  /** The public key of a secret of 32 bytes, SEC1 compressed. */
  readonly publicKeyOf: (secret: Uint8Array) => Uint8Array
  /** Signs a digest of 32 bytes without hashing it again: 65 bytes r‖s‖v, v 0 or 1. */
  readonly sign: (digest: Uint8Array, secret: Uint8Array) => Uint8Array
}

/** What is used of the native package, which has no declarations of its own. */
interface NativeCode {
  readonly publicKeyCreate: (secret: Uint8Array, compressed: boolean) => Uint8Array
  readonly ecdsaSign: (digest: Uint8Array, secret: Uint8Array) => { readonly signature: Uint8Array; readonly recid: number }
}

/** WebAssembly, which runs wherever the server does. */
export const wasmSignatures: Signatures = { publicKeyOf, sign }

const loaded = (): NativeCode | undefined => {
  try {
    // Not the package itself: where there is no native code, that falls back to JavaScript, which is slower than WebAssembly.
    return createRequire(import.meta.url)("secp256k1/bindings.js") as NativeCode
  } catch {
    return undefined
  }
}

const native = loaded()

/** Native code, three times as fast; undefined on machines for which the package has none. */
export const nativeSignatures: Signatures | undefined =
  native === undefined
    ? undefined
    : {
        publicKeyOf: (secret) => native.publicKeyCreate(secret, true),
        sign: (digest, secret) => {
          const { recid, signature } = native.ecdsaSign(digest, secret)
          return withRecoveryId(signature, recid)
        }
      }

/** The fastest implementation of this machine. */
export const fastestSignatures: Signatures = nativeSignatures ?? wasmSignatures
