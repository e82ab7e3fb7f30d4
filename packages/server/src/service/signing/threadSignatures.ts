/**
 * Signatures of the threads that run programs: native code where there is some, else WebAssembly. The native code is loaded by the first
 * signature, since a thread is not ended within one; while it loads modules, it may be.
 */
import { loadNativeSignatures } from "./nativeSignatures.ts"
import type { Signatures } from "./signatures.ts"
import { sign as signInWasm } from "./wasmSignatures.ts"

let fastest: Signatures["sign"] | undefined

/** Signs a digest of 32 bytes without hashing it again: 65 bytes r‖s‖v, RFC 6979 nonce, low s, v 0 or 1. */
export const sign = (digest: Uint8Array, secret: Uint8Array): Uint8Array => {
  fastest ??= loadNativeSignatures()?.sign ?? signInWasm
  return fastest(digest, secret)
}
