/** The id of an Oracle Program: Keccak-256 of its uncompressed bytes. */
import { keccak_256 } from "@noble/hashes/sha3.js"
import { toHex } from "../encoding/bytes.ts"

/** The id of a program, 64 lowercase hex characters. */
export const programIdOf = (program: Uint8Array): string => toHex(keccak_256(program))
