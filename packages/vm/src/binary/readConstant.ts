/** Reads constant expressions: exactly one operator and its end (extended constants are not supported). */
import type { ByteReader } from "./byteReader.ts"
import type { ModuleDraft } from "./moduleDraft.ts"
import type { ConstantExpression } from "./moduleShape.ts"
import { operator } from "./operators.ts"
import { refuseProposals } from "./proposals.ts"
import { refuse } from "./refusal.ts"
import { readReferenceType, valueType, type ValueType } from "./valueType.ts"

/** The type and the index of the operator just read. */
interface ConstantOperator {
  readonly type: ValueType
  readonly index: number
}

const readGlobalGet = (reader: ByteReader, module: ModuleDraft): ConstantOperator => {
  const at = reader.at
  const index = reader.u32()
  const global = module.globals[index]
  if (global === undefined) return refuse("invalid", `unknown global ${index}`, at)
  if (index >= module.importedGlobals) {
    return refuse("feature", "constants from the module's own globals are not supported", at)
  }
  return global.mutable ? refuse("invalid", "constant expression required", at) : { type: global.type, index }
}

const readFunctionReference = (reader: ByteReader, module: ModuleDraft): ConstantOperator => {
  const at = reader.at
  const index = reader.u32()
  return index < module.functions.length ? { type: valueType.funcref, index } : refuse("invalid", `unknown function ${index}`, at)
}

const readOperator = (code: number, reader: ByteReader, module: ModuleDraft): ConstantOperator => {
  switch (code) {
    case operator.i32Const:
      reader.skipSigned(32)
      return { type: valueType.i32, index: 0 }
    case operator.i64Const:
      reader.skipSigned(64)
      return { type: valueType.i64, index: 0 }
    case operator.f32Const:
      reader.skip(4)
      return { type: valueType.f32, index: 0 }
    case operator.f64Const:
      reader.skip(8)
      return { type: valueType.f64, index: 0 }
    case operator.globalGet:
      return readGlobalGet(reader, module)
    case operator.refNull:
      return { type: readReferenceType(reader), index: 0 }
    case operator.refFunc:
      return readFunctionReference(reader, module)
    default:
      refuseProposals(code, reader.at - 1)
      return refuse("invalid", "constant expression required", reader.at - 1)
  }
}

/** Reads a constant expression that must give a value of this type. */
export const readConstant = (reader: ByteReader, module: ModuleDraft, type: ValueType): ConstantExpression => {
  const from = reader.at
  const code = reader.byte()
  const { type: given, index } = readOperator(code, reader, module)
  const to = reader.at
  if (reader.byte() !== operator.end) refuse("feature", "extended constant expressions are not supported", to)
  if (given !== type) refuse("invalid", "type mismatch in a constant expression", from)
  return { operator: code, index, from, to }
}
