/** Values as the arguments of a contract's function, in hex (Solidity, "Contract ABI Specification"). */

/** An argument: one word of 32 bytes in hex, or something of any length that stands behind the words. */
export type Argument = { readonly word: string } | { readonly tail: string }

const uint = (value: bigint): string => value.toString(16).padStart(64, "0")

/** An integer, a truth value as 0 or 1, or an id. */
export const word = (value: bigint | number | boolean | string): Argument => ({
  word: typeof value === "string" ? value.padStart(64, "0") : uint(BigInt(value))
})

/** Bytes by their hex: their length, then themselves, filled up to whole words. */
export const bytes = (hex: string): Argument => ({
  tail: uint(BigInt(hex.length / 2)) + hex.padEnd(Math.ceil(hex.length / 64) * 64, "0")
})

/** Arguments, or the members of a struct, in hex: the words, each tail's place among them, then the tails. */
export const encode = (fields: ReadonlyArray<Argument>): string => {
  let heads = ""
  let tails = ""
  for (const field of fields) {
    heads += "word" in field ? field.word : uint(BigInt(fields.length * 32 + tails.length / 2))
    if ("tail" in field) tails += field.tail
  }
  return heads + tails
}

/** A struct that has members of any length. */
export const struct = (fields: ReadonlyArray<Argument>): Argument => ({ tail: encode(fields) })
