/** Hashing and signature checks, done by the host. */
import { call_result_write, keccak256 as host_keccak256, secp256k1_verify } from "./host"

/** The Keccak-256 of bytes. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  const hash = new Uint8Array(host_keccak256(bytes.dataStart, bytes.length))
  call_result_write(hash.dataStart, hash.length)
  return hash
}

/** Whether a signature (64 bytes r, s) over the Keccak-256 of a message is that of a key (SEC1, 33 or 65 bytes). */
export function secp256k1Verify(message: Uint8Array, signature: Uint8Array, publicKey: Uint8Array): bool {
  return secp256k1_verify(
    message.dataStart,
    message.length,
    signature.dataStart,
    signature.length,
    publicKey.dataStart,
    publicKey.length
  ) == 1
}
