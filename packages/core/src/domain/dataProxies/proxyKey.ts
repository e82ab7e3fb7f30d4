/** The key of a data proxy, normalized from every accepted form. */
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { fromHex } from "../encoding/bytes.ts"

/** The rule for a key, for error messages. */
export const proxyKeyRule = "must be a secp256k1 public key of 33 or 65 bytes in hex"

/**
 * The key in SEC1 compressed form, 66 lowercase hex characters, from a compressed or uncompressed key in any letter case, with or without
 * `0x`. `undefined` if it is not a point of the curve.
 */
export const proxyKeyOf = (text: string): string | undefined => {
  const bytes = text.length > 132 ? undefined : fromHex(text)
  if (bytes === undefined) return undefined
  try {
    return secp256k1.Point.fromBytes(bytes).toHex(true)
  } catch {
    return undefined
  }
}
