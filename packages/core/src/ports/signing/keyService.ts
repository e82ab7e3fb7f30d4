/** What services for keys (a KMS, an HSM) give, in the forms of the protocol: theirs are public keys in DER, and signatures without a v. */
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { toHex } from "../../domain/encoding/bytes.ts"
import { recoverSigner } from "../../domain/protocol/resultSignature.ts"
import { InvalidOption } from "../../domain/settings/invalidOption.ts"

/** A SubjectPublicKeyInfo of secp256k1 (RFC 5480) up to its point: uncompressed, compressed. */
const infoHeads: ReadonlySet<string> = new Set([
  "3056301006072a8648ce3d020106052b8104000a034200",
  "3036301006072a8648ce3d020106052b8104000a032200"
])

const infoHeadBytes = 23

const pointOf = (key: Uint8Array): Uint8Array => (infoHeads.has(toHex(key.subarray(0, infoHeadBytes))) ? key.subarray(infoHeadBytes) : key)

/**
 * The `publicKey` of a `Signer` (SEC1 compressed, 66 lowercase hex characters) for the key that a service gives: a SubjectPublicKeyInfo in DER, or
 * a point of 33 or 65 bytes. Throws an {@link InvalidOption} where it is none of secp256k1.
 */
export const signerKeyOf = (key: Uint8Array): string => {
  try {
    return secp256k1.Point.fromBytes(pointOf(key)).toHex(true)
  } catch {
    throw new InvalidOption("key", "must be a key of secp256k1: a SubjectPublicKeyInfo in DER, or a point of 33 or 65 bytes")
  }
}

/** Both signatures r‖s‖v that a form of these bytes may stand for; none if they have not this form. */
const candidatesOf = (signature: Uint8Array, form: "der" | "compact"): ReadonlyArray<Uint8Array> => {
  try {
    const read = secp256k1.Signature.fromBytes(signature, form)
    const low = read.hasHighS() ? new secp256k1.Signature(read.r, secp256k1.Point.Fn.neg(read.s)) : read
    return [0, 1].map((v) => Uint8Array.of(...low.toBytes("compact"), v))
  } catch {
    return []
  }
}

/**
 * What a `Signer`'s `sign` gives (65 bytes r‖s‖v, low s, v 0 or 1) for what a service made of the digest, in DER or as r‖s. Throws an
 * {@link InvalidOption} where this key has not signed this digest.
 */
export const signerSignatureOf = (digest: Uint8Array, signature: Uint8Array, publicKey: string): Uint8Array => {
  const candidates = [...candidatesOf(signature, "der"), ...candidatesOf(signature, "compact")]
  const found = candidates.find((each) => recoverSigner(digest, each) === publicKey)
  if (found !== undefined) return found
  throw new InvalidOption("signature", `must be of this digest, not hashed again, by the key ${publicKey}, in DER or as 64 bytes r‖s`)
}
