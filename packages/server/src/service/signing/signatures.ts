/** What every implementation of signatures offers. */

/** One implementation of the same signatures: RFC 6979 nonces, low s. A secret outside of 1 to n−1 is a defect. */
export interface Signatures {
  /** The public key of a secret of 32 bytes, SEC1 compressed. */
  readonly publicKeyOf: (secret: Uint8Array) => Uint8Array
  /** Signs a digest of 32 bytes without hashing it again: 65 bytes r‖s‖v, v 0 or 1. */
  readonly sign: (digest: Uint8Array, secret: Uint8Array) => Uint8Array
}
