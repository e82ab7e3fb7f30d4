/** The result id: the 32 bytes that are signed (protocol facts, section 2). */
import { keccak_256 } from "@noble/hashes/sha3.js"
import { concatBytes } from "@noble/hashes/utils.js"
import { fromHex, fromUtf8, toBigEndian } from "../encoding/bytes.ts"
import type { DataResult } from "./dataResult.ts"

/** Keccak-256 of the 194 bytes that the fields make up, integers big-endian; of the exit code only the low byte counts. */
export const dataResultIdOf = (result: DataResult): Uint8Array =>
  keccak_256(
    concatBytes(
      keccak_256(fromUtf8(result.version)),
      fromHex(result.drId) ?? new Uint8Array(),
      Uint8Array.of(result.consensus ? 1 : 0),
      Uint8Array.of(result.exitCode & 0xff),
      keccak_256(result.result),
      toBigEndian(result.blockHeight, 8),
      toBigEndian(result.blockTimestamp, 8),
      toBigEndian(result.gasUsed, 16),
      keccak_256(result.paybackAddress),
      keccak_256(result.servicePayload)
    )
  )

/** An exit code as it is signed: 0 to 255. A code outside becomes 255, never 0 (decision D22). */
export const signedExitCode = (exitCode: number): number => (exitCode >= 0 && exitCode <= 255 ? exitCode : 255)
