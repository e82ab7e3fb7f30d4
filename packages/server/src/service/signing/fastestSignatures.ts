/** Signatures by libsecp256k1 in this thread: native code where it has been built for this machine, else WebAssembly. */
import { isMainThread } from "node:worker_threads"
import { loadNativeSignatures } from "./nativeSignatures.ts"
import type { Signatures } from "./signatures.ts"
import { publicKeyOf, sign } from "./wasmSignatures.ts"

/** WebAssembly, which runs wherever the server does. */
export const wasmSignatures: Signatures = { publicKeyOf, sign }

/**
 * Native code, three times as fast; undefined on machines for which the package has none, and in a thread that was started by another one,
 * which may end it at any moment: native code does not survive that.
 */
export const nativeSignatures: Signatures | undefined = isMainThread ? loadNativeSignatures() : undefined

/** The fastest implementation of this machine. */
export const fastestSignatures: Signatures = nativeSignatures ?? wasmSignatures
