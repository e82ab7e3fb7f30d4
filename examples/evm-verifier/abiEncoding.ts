/** Encodes the arguments of a contract's function, in hex (Solidity, "Contract ABI Specification"). */

/** An argument: one word of 32 bytes in hex, or data of any length that follows the words. */
export type Argument = { readonly word: string } | { readonly tail: string }

const uint = (value: bigint): string => value.toString(16).padStart(64, "0")

/** An integer, a boolean as 0 or 1, or an id. */
export const word = (value: bigint | number | boolean | string): Argument => ({
  word: typeof value === "string" ? value.padStart(64, "0") : uint(BigInt(value))
})

/** Bytes by their hex: their length, then the bytes, padded to whole words. */
export const bytes = (hex: string): Argument => ({
  tail: uint(BigInt(hex.length / 2)) + hex.padEnd(Math.ceil(hex.length / 64) * 64, "0")
})

/** Arguments, or the members of a struct, in hex: the words, with the offset of each tail, then the tails. */
export const encode = (fields: ReadonlyArray<Argument>): string => {
  let heads = ""
  let tails = ""
  for (const field of fields) {
    heads += "word" in field ? field.word : uint(BigInt(fields.length * 32 + tails.length / 2))
    if ("tail" in field) tails += field.tail
  }
  return heads + tails
}

/** A struct with members of any length. */
export const struct = (fields: ReadonlyArray<Argument>): Argument => ({ tail: encode(fields) })
