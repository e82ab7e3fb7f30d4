/** The value types of the binary format. */
import type { ByteReader } from "./byteReader.ts"
import { refuse } from "./refusal.ts"

/** The byte that encodes each value type. */
export const valueType = { i32: 0x7f, i64: 0x7e, f32: 0x7d, f64: 0x7c, funcref: 0x70, externref: 0x6f } as const

/** A value type as its byte. */
export type ValueType = (typeof valueType)[keyof typeof valueType]

/** A reference type as its byte. */
export type ReferenceType = typeof valueType.funcref | typeof valueType.externref

/** Indexed by byte: it is read for every block and every group of locals. */
const known = new Uint8Array(256)
for (const type of Object.values(valueType)) known[type] = 1

/** Whether the byte encodes a supported value type. */
export const isValueType = (byte: number): byte is ValueType => known[byte] === 1

/** Reads a value type; refuses vectors and the typed references of later proposals. */
export const readValueType = (reader: ByteReader): ValueType => {
  const at = reader.at
  const byte = reader.byte()
  if (isValueType(byte)) return byte
  if (byte === 0x7b) return refuse("feature", "SIMD is not supported", at)
  if (byte >= 0x63 && byte <= 0x74) {
    return refuse("feature", "typed references and garbage collection are not supported", at)
  }
  return refuse("malformed", `0x${byte.toString(16)} is not a value type`, at)
}

/** Reads a reference type. */
export const readReferenceType = (reader: ByteReader): ReferenceType => {
  const at = reader.at
  const type = readValueType(reader)
  return type === valueType.funcref || type === valueType.externref ? type : refuse("malformed", "expected a reference type", at)
}
