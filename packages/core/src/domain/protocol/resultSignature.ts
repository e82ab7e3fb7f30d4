/** Recovers the signer of a result. */
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { toHex } from "../encoding/bytes.ts"

/** The compressed public key, 66 lowercase hex characters, that signed a digest with r‖s‖v; `undefined` if the signature is invalid. */
export const recoverSigner = (digest: Uint8Array, signature: Uint8Array): string | undefined => {
  const v = signature[64]
  if (signature.length !== 65 || digest.length !== 32 || v === undefined) return undefined
  const recovery = v >= 27 ? v - 27 : v
  if (recovery > 1) return undefined
  const recoveryFirst = new Uint8Array(65)
  recoveryFirst[0] = recovery
  recoveryFirst.set(signature.subarray(0, 64), 1)
  try {
    // High-s signatures are refused, as on-chain verifiers do.
    if (secp256k1.Signature.fromBytes(signature.subarray(0, 64), "compact").hasHighS()) return undefined
    return toHex(secp256k1.recoverPublicKey(recoveryFirst, digest, { prehash: false }))
  } catch {
    return undefined
  }
}
