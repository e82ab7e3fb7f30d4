/** The result id: the 32 bytes that are signed, as on the public network. */
import { concatBytes } from "@noble/hashes/utils.js"
import { fromHex, fromUtf8, toBigEndian } from "../encoding/bytes.ts"
import type { DataResult } from "./dataResult.ts"
import { keccak256 } from "../encoding/keccak256.ts"

/** Most results have two empty fields. */
const nothingHashed = keccak256(new Uint8Array())

const hashOf = (bytes: Uint8Array): Uint8Array => (bytes.length === 0 ? nothingHashed : keccak256(bytes))

/** Keccak-256 of the 194 bytes of the fields, integers big-endian; only the low byte of the exit code is hashed. */
export const dataResultIdOf = (result: DataResult): Uint8Array =>
  keccak256(
    concatBytes(
      keccak256(fromUtf8(result.version)),
      fromHex(result.drId) ?? new Uint8Array(),
      Uint8Array.of(result.consensus ? 1 : 0),
      Uint8Array.of(result.exitCode & 0xff),
      hashOf(result.result),
      toBigEndian(result.blockHeight, 8),
      toBigEndian(result.blockTimestamp, 8),
      toBigEndian(result.gasUsed, 16),
      hashOf(result.paybackAddress),
      hashOf(result.servicePayload)
    )
  )

/** The exit code to sign, 0 to 255. A code outside of this range becomes 255, never 0 (decision D22). */
export const signedExitCode = (exitCode: number): number => (exitCode >= 0 && exitCode <= 255 ? exitCode : 255)
