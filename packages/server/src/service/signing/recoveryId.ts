/** The form of a signature in the protocol. */

/** 64 bytes r‖s and a recovery id as 65 bytes. */
export const withRecoveryId = (signature: Uint8Array, recoveryId: number): Uint8Array => {
  const signed = new Uint8Array(65)
  signed.set(signature, 0)
  signed[64] = recoveryId
  return signed
}
