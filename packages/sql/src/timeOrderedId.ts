/** Ids that grow with time, so that new rows lie beside each other in an index (UUID version 7, RFC 9562, section 5.7). */
import { toHex } from "@sibyl/core"

/** The id of a moment in milliseconds since the Unix epoch; 16 random bytes make it unlike all others of that moment. */
export const timeOrderedId = (nowMs: number, random: Uint8Array): string => {
  const bytes = Uint8Array.from(random.subarray(0, 16))
  const view = new DataView(bytes.buffer)
  const ms = BigInt.asUintN(48, BigInt(Math.floor(nowMs)))
  view.setUint32(0, Number(ms >> 16n))
  view.setUint16(4, Number(ms & 0xffffn))
  view.setUint8(6, 0x70 | (view.getUint8(6) & 0x0f))
  view.setUint8(8, 0x80 | (view.getUint8(8) & 0x3f))
  const hex = toHex(bytes)
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-")
}
