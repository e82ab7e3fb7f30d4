/** Signatures by libsecp256k1 in WebAssembly. It loads no native code, so that it may be loaded by a thread that is ended at any moment. */
import { pointFromScalar, signRecoverable } from "tiny-secp256k1"
import { withRecoveryId } from "./recoveryId.ts"

/** The public key of a secret of 32 bytes, SEC1 compressed. A secret outside of 1 to n−1 is a defect. */
export const publicKeyOf = (secret: Uint8Array): Uint8Array => {
  const publicKey = pointFromScalar(secret, true)
  if (publicKey === null) throw new Error("the signing secret has no public key")
  return publicKey
}

/** Signs a digest of 32 bytes without hashing it again: 65 bytes r‖s‖v, RFC 6979 nonce, low s, v 0 or 1. */
export const sign = (digest: Uint8Array, secret: Uint8Array): Uint8Array => {
  const { recoveryId, signature } = signRecoverable(digest, secret)
  return withRecoveryId(signature, recoveryId)
}
