/** Value types, numbers and instructions of WebAssembly as bytes. */

/** The value type i32. */
export const i32 = 0x7f
/** The value type i64. */
export const i64 = 0x7e
/** The value type f32. */
export const f32 = 0x7d
/** The value type f64. */
export const f64 = 0x7c

/** An unsigned integer in LEB128. */
export const u32 = (value: number): ReadonlyArray<number> =>
  value < 0x80 ? [value] : [(value % 0x80) | 0x80, ...u32(Math.floor(value / 0x80))]

/** A signed integer in LEB128. */
export const signed = (value: bigint): ReadonlyArray<number> => {
  const byte = Number(value & 0x7fn)
  const rest = value >> 7n
  return (rest === 0n && byte < 0x40) || (rest === -1n && byte >= 0x40) ? [byte] : [byte | 0x80, ...signed(rest)]
}

/** `i32.const`; accepts unsigned values too. */
export const i32Const = (value: number): ReadonlyArray<number> => [0x41, ...signed(BigInt(value | 0))]

/** `i64.const`. */
export const i64Const = (value: bigint): ReadonlyArray<number> => [0x42, ...signed(BigInt.asIntN(64, value))]

/** `f32.const` by its bits. */
export const f32Bits = (bits: number): ReadonlyArray<number> => [0x43, ...new Uint8Array(Uint32Array.of(bits).buffer)]

/** `f64.const` by its bits. */
export const f64Bits = (bits: bigint): ReadonlyArray<number> => [0x44, ...new Uint8Array(BigUint64Array.of(bits).buffer)]

/** `f64.const`. */
export const f64Const = (value: number): ReadonlyArray<number> => [0x44, ...new Uint8Array(Float64Array.of(value).buffer)]

/** `call`. */
export const call = (index: number): ReadonlyArray<number> => [0x10, ...u32(index)]

/** `local.get`. */
export const localGet = (index: number): ReadonlyArray<number> => [0x20, ...u32(index)]

/** `local.set`. */
export const localSet = (index: number): ReadonlyArray<number> => [0x21, ...u32(index)]

/** `drop`. */
export const drop = 0x1a
/** `end`. */
export const end = 0x0b
/** `i32.add`. */
export const i32Add = 0x6a

/** `i32.store` at an offset. */
export const i32Store = (offset: number): ReadonlyArray<number> => [0x36, 0, ...u32(offset)]

/** `i64.store` at an offset. */
export const i64Store = (offset: number): ReadonlyArray<number> => [0x37, 0, ...u32(offset)]
