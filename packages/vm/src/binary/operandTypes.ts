/** What each operator pops from and pushes on the operand stack, if that follows from its code alone. */
import type { FunctionType } from "./moduleShape.ts"
import { valueType, type ValueType } from "./valueType.ts"

/**
 * Up to three operands and one result, packed into 32 bits: the lowest byte is the type of the last operand, followed by the earlier ones;
 * the highest byte is the result's. 0 means none.
 */
type Signature = number

const { f32, f64, i32, i64 } = valueType

/** Marks operators whose types depend on more than their code: an operand of a type that does not exist. */
export const contextual: Signature = 0xff

/** Packs a signature; `operands` in the order in which they are pushed. */
const packed = (operands: ReadonlyArray<ValueType>, result: ValueType | 0): Signature =>
  operands.toReversed().reduce((signature: number, type, place) => signature | (type << (8 * place)), 0) | (result << 24)

/** The signature of a function of this type, {@link contextual} if it takes or gives more than fits. */
export const signatureOf = ({ parameters, results }: FunctionType): Signature =>
  parameters.length > 3 || results.length > 1 ? contextual : packed(parameters, results[0] ?? 0)

/** Three numbers and no result: the signature of the bulk operators. */
export const rangeSignature = packed([i32, i32, i32], 0)

type Row = readonly [from: number, to: number, operands: ReadonlyArray<ValueType>, result: ValueType | 0]

const rows: ReadonlyArray<Row> = [
  [0x01, 0x01, [], 0],
  [0x28, 0x28, [i32], i32],
  [0x29, 0x29, [i32], i64],
  [0x2a, 0x2a, [i32], f32],
  [0x2b, 0x2b, [i32], f64],
  [0x2c, 0x2f, [i32], i32],
  [0x30, 0x35, [i32], i64],
  [0x36, 0x36, [i32, i32], 0],
  [0x37, 0x37, [i32, i64], 0],
  [0x38, 0x38, [i32, f32], 0],
  [0x39, 0x39, [i32, f64], 0],
  [0x3a, 0x3b, [i32, i32], 0],
  [0x3c, 0x3e, [i32, i64], 0],
  [0x3f, 0x3f, [], i32],
  [0x41, 0x41, [], i32],
  [0x42, 0x42, [], i64],
  [0x43, 0x43, [], f32],
  [0x44, 0x44, [], f64],
  [0x45, 0x45, [i32], i32],
  [0x46, 0x4f, [i32, i32], i32],
  [0x50, 0x50, [i64], i32],
  [0x51, 0x5a, [i64, i64], i32],
  [0x5b, 0x60, [f32, f32], i32],
  [0x61, 0x66, [f64, f64], i32],
  [0x67, 0x69, [i32], i32],
  [0x6a, 0x78, [i32, i32], i32],
  [0x79, 0x7b, [i64], i64],
  [0x7c, 0x8a, [i64, i64], i64],
  [0x8b, 0x91, [f32], f32],
  [0x92, 0x98, [f32, f32], f32],
  [0x99, 0x9f, [f64], f64],
  [0xa0, 0xa6, [f64, f64], f64],
  [0xa7, 0xa7, [i64], i32],
  [0xa8, 0xa9, [f32], i32],
  [0xaa, 0xab, [f64], i32],
  [0xac, 0xad, [i32], i64],
  [0xae, 0xaf, [f32], i64],
  [0xb0, 0xb1, [f64], i64],
  [0xb2, 0xb3, [i32], f32],
  [0xb4, 0xb5, [i64], f32],
  [0xb6, 0xb6, [f64], f32],
  [0xb7, 0xb8, [i32], f64],
  [0xb9, 0xba, [i64], f64],
  [0xbb, 0xbb, [f32], f64],
  [0xbc, 0xbc, [f32], i32],
  [0xbd, 0xbd, [f64], i64],
  [0xbe, 0xbe, [i32], f32],
  [0xbf, 0xbf, [i64], f64],
  [0xc0, 0xc1, [i32], i32],
  [0xc2, 0xc4, [i64], i64]
]

/** The same after the prefix 0xfc. */
const prefixedRows: ReadonlyArray<Row> = [
  [0, 1, [f32], i32],
  [2, 3, [f64], i32],
  [4, 5, [f32], i64],
  [6, 7, [f64], i64],
  [8, 8, [i32, i32, i32], 0],
  [9, 9, [], 0],
  [10, 11, [i32, i32, i32], 0],
  [13, 13, [], 0],
  [16, 16, [], i32]
]

const tableOf = (size: number, entries: ReadonlyArray<Row>): Int32Array => {
  const table = new Int32Array(size).fill(contextual)
  for (const [from, to, operands, result] of entries) table.fill(packed(operands, result), from, to + 1)
  return table
}

/** The signatures of one-byte operators by code, {@link contextual} if they depend on more. */
export const signatures: Int32Array = tableOf(256, rows)

/** The signatures of the operators after the prefix 0xfc by number. */
export const prefixedSignatures: Int32Array = tableOf(18, prefixedRows)
