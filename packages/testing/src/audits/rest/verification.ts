/** Verifies a response as a chain does: ids derived from the printed fields, the signature over the result id. */
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import { at } from "./call.ts"

const bigEndian = (value: unknown, size: number): Uint8Array =>
  hexToBytes(
    BigInt(String(value))
      .toString(16)
      .padStart(2 * size, "0")
  )

const textHash = (value: unknown): Uint8Array => keccak_256(utf8ToBytes(String(value)))
const bytesHash = (hex: unknown): Uint8Array => keccak_256(hexToBytes(String(hex)))

/** The drId of a printed `dataRequest`: Keccak-256 of its 258 bytes (SEDA protocol, data request id). */
export const derivedDrId = (request: unknown): string =>
  bytesToHex(
    keccak_256(
      concatBytes(
        textHash(at(request, "version")),
        hexToBytes(String(at(request, "execProgramId"))),
        bytesHash(at(request, "execInputs")),
        bigEndian(at(request, "execGasLimit"), 8),
        hexToBytes(String(at(request, "tallyProgramId"))),
        bytesHash(at(request, "tallyInputs")),
        bigEndian(at(request, "tallyGasLimit"), 8),
        bigEndian(at(request, "replicationFactor"), 2),
        bytesHash(at(request, "consensusFilter")),
        bigEndian(at(request, "gasPrice"), 16),
        bytesHash(at(request, "memo"))
      )
    )
  )

/** The result id of a printed `dataResult`: Keccak-256 of its 194 bytes (SEDA protocol, data result id). */
export const derivedResultId = (result: unknown): Uint8Array =>
  keccak_256(
    concatBytes(
      textHash(at(result, "version")),
      hexToBytes(String(at(result, "drId"))),
      Uint8Array.of(at(result, "consensus") === true ? 1 : 0),
      bigEndian(at(result, "exitCode"), 1),
      bytesHash(at(result, "result")),
      bigEndian(at(result, "blockHeight"), 8),
      bigEndian(at(result, "blockTimestamp"), 8),
      bigEndian(at(result, "gasUsed"), 16),
      bytesHash(at(result, "paybackAddress")),
      bytesHash(at(result, "servicePayload") ?? at(result, "sedaPayload"))
    )
  )

/** The public key (compressed, lowercase hex) that a signature r‖s‖v over a digest recovers to. */
export const recoveredKey = (signature: string, digest: Uint8Array): string => {
  const bytes = hexToBytes(signature)
  const recoveryFirst = concatBytes(bytes.subarray(64), bytes.subarray(0, 64))
  return bytesToHex(secp256k1.recoverPublicKey(recoveryFirst, digest, { prehash: false }))
}

/** Whether chains accept a signature: s in the lower half, v 0 or 1, and valid for the key. */
export const signatureHolds = (signature: string, digest: Uint8Array, publicKey: string): boolean => {
  const bytes = hexToBytes(signature)
  const valid = secp256k1.verify(bytes.subarray(0, 64), digest, hexToBytes(publicKey), { prehash: false, lowS: true })
  return valid && (bytes[64] ?? 2) <= 1
}
