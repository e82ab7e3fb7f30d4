/** The id of an Oracle Program: Keccak-256 of its raw, uncompressed bytes (protocol facts, section 6). */
import { keccak_256 } from "@noble/hashes/sha3.js"
import { toHex } from "./bytes.ts"

/** The id of a program, 64 lowercase hex characters. */
export const programIdOf = (program: Uint8Array): string => toHex(keccak_256(program))

const form = /^(?:0[xX])?([0-9a-fA-F]{64})$/

/** A program id as people write it, with or without `0x` and in any case; `undefined` for anything else (decision D7). */
export const readProgramId = (text: string): string | undefined => form.exec(text)?.[1]?.toLowerCase()
