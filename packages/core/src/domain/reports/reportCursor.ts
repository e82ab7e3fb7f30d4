/** The opaque cursor of a page of reports: where the next page starts, for one project and one drId (decision D11). */
import { concatBytes } from "@noble/hashes/utils.js"
import { equalBytes, fromBase64, fromBigEndian, fromUtf8, toBase64, toBigEndian } from "../encoding/bytes.ts"
import { keccak256 } from "../encoding/keccak256.ts"

/** A report's position in the order of a project's reports. */
interface Place {
  readonly executedAtMs: number
  readonly sequence: number
}

/** The reports that are paged through. */
export interface PagedReports {
  readonly projectId: string
  readonly drId: string
}

const numberBytes = 8
const sealBytes = 8
const form = /^[A-Za-z0-9_-]{32}$/

/** Not a secret: it detects mistyped cursors and those of other reports. */
const sealOf = (place: Uint8Array, { drId, projectId }: PagedReports): Uint8Array =>
  keccak256(concatBytes(place, fromUtf8(`${projectId}/${drId}`))).subarray(0, sealBytes)

/** 32 characters that need no escaping in a query. */
export const writeCursor = ({ executedAtMs, sequence }: Place, reports: PagedReports): string => {
  const place = concatBytes(toBigEndian(BigInt(executedAtMs), numberBytes), toBigEndian(BigInt(sequence), numberBytes))
  return toBase64(concatBytes(place, sealOf(place, reports)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
}

/** The position of a cursor; `undefined` if the cursor was not made for these reports. */
export const readCursor = (cursor: string, reports: PagedReports): Place | undefined => {
  const bytes = form.test(cursor) ? fromBase64(cursor) : undefined
  if (bytes === undefined) return undefined
  const place = bytes.subarray(0, 2 * numberBytes)
  if (!equalBytes(bytes.subarray(2 * numberBytes), sealOf(place, reports))) return undefined
  return {
    executedAtMs: Number(fromBigEndian(place.subarray(0, numberBytes))),
    sequence: Number(fromBigEndian(place.subarray(numberBytes)))
  }
}
