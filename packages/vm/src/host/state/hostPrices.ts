/** The prices of host calls, the same in both phases (docs/PROGRAMS.md, "Imports, and what they cost"). */
import type { Phase } from "@sibyl/core"
import { negativeLength, trap } from "./unwind.ts"

const tera = 1_000_000_000_000n

/** Gas per byte passed to or from the host. */
export const gasPerByte = 10_000n

/** Gas of a call without its bytes. */
export const callPrice = {
  startup: 5n * tera,
  httpFetch: 5n * tera,
  proxyHttpFetch: 7n * tera,
  keccak256: tera,
  secp256k1Verify: 2n * tera,
  wasi: tera,
  storageRead: tera,
  storageChange: 2n * tera
} as const

/** Gas per byte of an execution result. */
export const gasPerResultByte = 10_000_000n

/** The price of a call over `length` bytes (a count, never negative). */
export const priceOfBytes = (base: bigint, length: number): bigint => base + gasPerByte * BigInt(length)

/**
 * A length that the reference of the phase treats as unsigned in tally, and as a JavaScript number in execution, where a negative one would
 * give gas back: there it is refused (decision D25).
 */
export const checkedLength = (phase: Phase, length: number): number => {
  if (phase === "exec" && length < 0) return trap(negativeLength)
  return length >>> 0
}

/** A length that both references treat as signed: negative ones are refused before any charge. */
export const signedLength = (length: number): number => (length < 0 ? trap(negativeLength) : length)
