/** UUIDs (RFC 9562): random ones, ones ordered by time, and ones made of a hash. */

/** Each byte as two hex digits: a text of all digits and its slices (`toHex`) take four times as long, and each run has two ids or more. */
const pairs: ReadonlyArray<string> = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))

/** The digits of a number's lowest byte. */
const pairOf = (value: number): string => pairs[value & 0xff] ?? ""

/** The digits of some of the bytes. */
const digits = (bytes: Uint8Array, from: number, to: number): string => {
  let text = ""
  for (let at = from; at < to; at += 1) text += pairs[bytes[at] ?? 0]
  return text
}

/** A UUID of variant 1: some bits give way to version and variant. */
const textOf = (bytes: Uint8Array, version: 4 | 7 | 8, start = `${digits(bytes, 0, 4)}-${digits(bytes, 4, 6)}`): string => {
  const marked = (at: number, kept: number, mark: number): string => pairOf(((bytes[at] ?? 0) & kept) | mark)
  const middle = `${marked(6, 0x0f, version << 4)}${digits(bytes, 7, 8)}-${marked(8, 0x3f, 0x80)}${digits(bytes, 9, 10)}`
  return `${start}-${middle}-${digits(bytes, 10, 16)}`
}

/** Sixteen random bytes as a UUID of version 4, variant 1 (section 5.4). */
export const uuidOf = (bytes: Uint8Array): string => textOf(bytes, 4)

/** The first sixteen bytes of a hash as a UUID of version 8 (section 5.8). */
export const hashedUuid = (hash: Uint8Array): string => textOf(hash, 8)

/**
 * The UUID of a time in milliseconds since the Unix epoch (version 7, section 5.7), made unique by 16 random bytes. It sorts by time, so
 * that new rows are adjacent in an index.
 */
export const timeOrderedUuid = (nowMs: number, random: Uint8Array): string => {
  const ms = Math.max(0, Math.floor(nowMs))
  const high = Math.floor(ms / 0x1_00_00)
  const start = `${pairOf(high >>> 24)}${pairOf(high >>> 16)}${pairOf(high >>> 8)}${pairOf(high)}-${pairOf(ms / 0x100)}${pairOf(ms)}`
  return textOf(random, 7, start)
}
