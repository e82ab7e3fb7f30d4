/** The Ethereum address of a public key, as contracts recover it. */
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { fromHex, toHex } from "../domain/encoding/bytes.ts"

/** `0x` and 40 lowercase hex characters: the last 20 bytes of the key's Keccak-256; `undefined` if the key is invalid. */
export const evmAddressOf = (publicKey: string): string | undefined => {
  try {
    const bytes = fromHex(publicKey)
    if (bytes === undefined) return undefined
    const uncompressed = secp256k1.Point.fromBytes(bytes).toBytes(false)
    return `0x${toHex(keccak_256(uncompressed.subarray(1)).subarray(12))}`
  } catch {
    return undefined
  }
}
