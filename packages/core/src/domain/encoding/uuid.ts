/** UUIDs (RFC 9562): random ones, ones ordered by time, and ones made of a hash. */
import { toHex } from "./bytes.ts"

const textOf = (bytes: Uint8Array, version: 4 | 7 | 8): string => {
  const marked = Uint8Array.from(bytes)
  marked[6] = ((marked[6] ?? 0) & 0x0f) | (version << 4)
  marked[8] = ((marked[8] ?? 0) & 0x3f) | 0x80
  const hex = toHex(marked)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
}

/** Sixteen random bytes as a UUID of version 4, variant 1 (section 5.4). */
export const uuidOf = (bytes: Uint8Array): string => textOf(bytes, 4)

/** The first sixteen bytes of a hash as a UUID of version 8 (section 5.8). */
export const hashedUuid = (hash: Uint8Array): string => textOf(hash.subarray(0, 16), 8)

/**
 * The UUID of a time in milliseconds since the Unix epoch (version 7, section 5.7), made unique by 16 random bytes. It sorts by time, so
 * that new rows are adjacent in an index.
 */
export const timeOrderedUuid = (nowMs: number, random: Uint8Array): string => {
  const bytes = Uint8Array.from(random)
  const view = new DataView(bytes.buffer)
  const ms = Math.max(0, Math.floor(nowMs))
  view.setUint32(0, Math.floor(ms / 0x1_00_00))
  view.setUint16(4, ms % 0x1_00_00)
  return textOf(bytes, 7)
}
