/** Which key signed, by libsecp256k1 in WebAssembly: for audits of many reports, where core's own way takes ten times as long. */
import { recover } from "tiny-secp256k1"

const halfOrder = Buffer.from("7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0", "hex")

/** The compressed key, 66 lowercase hex characters, that signed a digest with r‖s‖v; `undefined` if the signature is invalid or s is high. */
export const recoverKey = (digest: Uint8Array, signature: Uint8Array): string | undefined => {
  const v = signature[64]
  if (v === undefined || signature.length !== 65 || digest.length !== 32) return undefined
  const recoveryId = v >= 27 ? v - 27 : v
  if (recoveryId !== 0 && recoveryId !== 1) return undefined
  if (Buffer.compare(signature.subarray(32, 64), halfOrder) > 0) return undefined
  try {
    const key = recover(digest, signature.subarray(0, 64), recoveryId, true)
    return key === null ? undefined : Buffer.from(key).toString("hex")
  } catch {
    return undefined
  }
}
