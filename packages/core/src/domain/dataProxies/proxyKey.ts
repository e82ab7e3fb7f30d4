/** The key of a data proxy: one spelling for every way in which it can be written. */
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { fromHex } from "../encoding/bytes.ts"

/** What a key has to be, in words for whoever sent another one. */
export const proxyKeyRule = "must be a secp256k1 public key of 33 or 65 bytes in hex"

/**
 * SEC1 compressed, 66 lowercase hex characters, of a key written compressed or uncompressed, in any letter case, with or
 * without `0x`. `undefined` for what is no point of the curve.
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
