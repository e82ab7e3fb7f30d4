/** The id of an Oracle Program: Keccak-256 of its uncompressed bytes. */
import { toHex } from "../encoding/bytes.ts"
import { keccak256 } from "../encoding/keccak256.ts"

/** The id of a program, 64 lowercase hex characters. */
export const programIdOf = (program: Uint8Array): string => toHex(keccak256(program))
