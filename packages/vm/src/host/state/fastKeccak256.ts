/** Keccak-256 by WebAssembly in the threads that have loaded it, a tenth of the time of JavaScript; elsewhere by JavaScript. */
import { keccak_256 } from "@noble/hashes/sha3.js"
import type { IHasher } from "hash-wasm"

let hasher: IHasher | undefined

/** Loads it for this thread. */
export const loadFastKeccak256 = async (): Promise<void> => {
  const { createKeccak } = await import("hash-wasm")
  hasher = await createKeccak(256)
}

/** 32 bytes of any number of bytes. */
export const fastKeccak256 = (bytes: Uint8Array): Uint8Array =>
  hasher === undefined ? keccak_256(bytes) : hasher.init().update(bytes).digest("binary")
