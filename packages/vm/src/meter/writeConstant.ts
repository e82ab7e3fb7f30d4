/** Writes a constant expression with the functions' new indices. */
import type { ConstantExpression } from "../binary/moduleShape.ts"
import { operator } from "../binary/operators.ts"
import type { ByteWriter } from "./byteWriter.ts"

/** The operator of a constant expression, without its `end`. `bytes` are the program's. */
export const writeConstant = (
  out: ByteWriter,
  constant: ConstantExpression,
  bytes: Uint8Array,
  functionIndex: (original: number) => number
): void => {
  if (constant.operator === operator.refFunc) {
    out.byte(operator.refFunc)
    out.u32(functionIndex(constant.index))
  } else out.copy(bytes, constant.from, constant.to)
}
