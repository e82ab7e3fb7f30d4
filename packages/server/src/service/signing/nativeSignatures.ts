/** Signatures by libsecp256k1 in native code, where it has been built for this machine. */
import { createRequire } from "node:module"
import { withRecoveryId } from "./recoveryId.ts"
import type { Signatures } from "./signatures.ts"

/** What is used of the native package, which has no declarations of its own. */
interface NativeCode {
  readonly publicKeyCreate: (secret: Uint8Array, compressed: boolean) => Uint8Array
  readonly ecdsaSign: (digest: Uint8Array, secret: Uint8Array) => { readonly signature: Uint8Array; readonly recid: number }
}

const load = (): NativeCode | undefined => {
  try {
    // Not the package itself: where there is no native code, that falls back to JavaScript, which is slower than WebAssembly.
    return createRequire(import.meta.url)("secp256k1/bindings.js") as NativeCode
  } catch {
    return undefined
  }
}

/** Loads the code; undefined on machines for which the package has none, and now and then on Bun, where two threads load it at once. */
export const loadNativeSignatures = (): Signatures | undefined => {
  const native = load()
  if (native === undefined) return undefined
  return {
    publicKeyOf: (secret) => native.publicKeyCreate(secret, true),
    sign: (digest, secret) => {
      const { recid, signature } = native.ecdsaSign(digest, secret)
      return withRecoveryId(signature, recid)
    }
  }
}
