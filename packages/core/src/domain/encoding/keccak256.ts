/** Keccak-256 with its original padding, as Ethereum has it: by the library, unless the process has a faster implementation. */
import { keccak_256 } from "@noble/hashes/sha3.js"

/** 32 bytes of any number of bytes. */
export type Keccak256 = (bytes: Uint8Array) => Uint8Array

/** The rate of the sponge: a block more, a block less and the ends of a block are where implementations differ. */
const rateBytes = 136

/** What an implementation is tried with. */
const tried: ReadonlyArray<Uint8Array> = [0, 1, rateBytes - 1, rateBytes, rateBytes + 1, 2 * rateBytes, 1_000].map((length) =>
  Uint8Array.from({ length }, (_, at) => (at * 7 + length) & 0xff)
)

const isSame = (left: Uint8Array, right: Uint8Array): boolean =>
  left.length === right.length && left.every((byte, at) => byte === right[at])

let fastest: Keccak256 = keccak_256

/** 32 bytes of any number of bytes, in an array of their own. */
export const keccak256: Keccak256 = (bytes) => fastest(bytes)

/** Has this process hash with another implementation from now on, if it answers what the library does; returns whether it does. */
export const hashKeccak256With = (implementation: Keccak256): boolean => {
  if (!tried.every((bytes) => isSame(implementation(bytes), keccak_256(bytes)))) return false
  fastest = implementation
  return true
}
