/** The code that replaces a NaN operand by the canonical NaN. */
import { operator } from "../binary/operators.ts"
import type { ByteWriter } from "./byteWriter.ts"

const canonicalNan = {
  f32: [operator.f32Const, 0x00, 0x00, 0xc0, 0x7f],
  f64: [operator.f64Const, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xf8, 0x7f]
} as const

/** x = x == x ? x : canonical NaN, for the operand on top of the stack; `scratch` is a local of its type. */
export const writeCanonicalNan = (out: ByteWriter, type: "f32" | "f64", scratch: number): void => {
  out.indexed(operator.localTee, scratch)
  out.bytes(canonicalNan[type])
  out.indexed(operator.localGet, scratch)
  out.indexed(operator.localGet, scratch)
  out.byte(type === "f32" ? operator.f32Equal : operator.f64Equal)
  out.byte(operator.select)
}
