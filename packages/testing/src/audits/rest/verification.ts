/** Verifies a response as a chain does: ids derived from the printed fields, the signature over the result id. */
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import { at } from "./call.ts"
import { bytesAt, wholeAt } from "./memberAt.ts"

const bigEndian = (value: bigint, size: number): Uint8Array => {
  const hex = value.toString(16).padStart(2 * size, "0")
  if (hex.length > 2 * size) throw new Error(`${value} is too large for its ${8 * size} bits`)
  return hexToBytes(hex)
}

const textHash = (value: unknown): Uint8Array => keccak_256(utf8ToBytes(String(value)))

/** The drId of a printed `dataRequest`: Keccak-256 of its 258 bytes (SEDA protocol, data request id). */
export const derivedDrId = (request: unknown): string =>
  bytesToHex(
    keccak_256(
      concatBytes(
        textHash(at(request, "version")),
        bytesAt(request, "execProgramId"),
        keccak_256(bytesAt(request, "execInputs")),
        bigEndian(wholeAt(request, "execGasLimit"), 8),
        bytesAt(request, "tallyProgramId"),
        keccak_256(bytesAt(request, "tallyInputs")),
        bigEndian(wholeAt(request, "tallyGasLimit"), 8),
        bigEndian(wholeAt(request, "replicationFactor"), 2),
        keccak_256(bytesAt(request, "consensusFilter")),
        bigEndian(wholeAt(request, "gasPrice"), 16),
        keccak_256(bytesAt(request, "memo"))
      )
    )
  )

/** The result id of a printed `dataResult`: Keccak-256 of its 194 bytes (SEDA protocol, data result id). */
export const derivedResultId = (result: unknown): Uint8Array =>
  keccak_256(
    concatBytes(
      textHash(at(result, "version")),
      bytesAt(result, "drId"),
      Uint8Array.of(at(result, "consensus") === true ? 1 : 0),
      bigEndian(wholeAt(result, "exitCode"), 1),
      keccak_256(bytesAt(result, "result")),
      bigEndian(wholeAt(result, "blockHeight"), 8),
      bigEndian(wholeAt(result, "blockTimestamp"), 8),
      bigEndian(wholeAt(result, "gasUsed"), 16),
      keccak_256(bytesAt(result, "paybackAddress")),
      keccak_256(bytesAt(result, at(result, "servicePayload") === undefined ? "sedaPayload" : "servicePayload"))
    )
  )

const signatureForm = /^[0-9a-f]{130}$/i
const publicKeyForm = /^0[23][0-9a-f]{64}$/i

/** The public key (compressed, lowercase hex) to which a signature r‖s‖v over a digest recovers; `undefined` if it does to none. */
export const recoveredKey = (signature: string, digest: Uint8Array): string | undefined => {
  if (!signatureForm.test(signature)) return undefined
  const bytes = hexToBytes(signature)
  const recoveryFirst = concatBytes(bytes.subarray(64), bytes.subarray(0, 64))
  try {
    return bytesToHex(secp256k1.recoverPublicKey(recoveryFirst, digest, { prehash: false }))
  } catch {
    return undefined
  }
}

/** Whether chains accept a signature: s in the lower half, v 0 or 1, and valid for the key. */
export const signatureHolds = (signature: string, digest: Uint8Array, publicKey: string): boolean => {
  if (!signatureForm.test(signature) || !publicKeyForm.test(publicKey)) return false
  const bytes = hexToBytes(signature)
  const valid = secp256k1.verify(bytes.subarray(0, 64), digest, hexToBytes(publicKey), { prehash: false, lowS: true })
  return valid && (bytes[64] ?? 2) <= 1
}

/** Whether the members of an execution's `data` verify from what is printed: the drId of its own request, and a signature by the key. */
export const isVerifiable = (data: unknown, publicKey: unknown): boolean => {
  const result = at(data, "dataResult")
  const isOfItsRequest = at(result, "drId") === derivedDrId(at(data, "dataRequest"))
  return isOfItsRequest && signatureHolds(String(at(data, "signature")), derivedResultId(result), String(publicKey))
}
