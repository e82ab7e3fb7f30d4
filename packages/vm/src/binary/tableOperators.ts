/** Checks the types of operators on tables, whose operands depend on what the tables hold. */
import type { BodyReader } from "./bodyReader.ts"
import type { ModuleShape } from "./moduleShape.ts"
import type { OperandStack } from "./operandStack.ts"
import { rangeSignature } from "./operandTypes.ts"
import { operator } from "./operators.ts"
import { refuse } from "./refusal.ts"
import { valueType } from "./valueType.ts"

const { i32 } = valueType

/** Checks the reader's operator, one of those on tables that have no signature. */
export const checkTableOperator = (
  { from, index, operator: code, table }: BodyReader,
  module: ModuleShape,
  operands: OperandStack
): void => {
  const element = module.tables[index]?.element ?? valueType.funcref
  const checkRange = (source: number | undefined): void => {
    if (source !== module.tables[table]?.element) refuse("invalid", "type mismatch", from)
    operands.apply(rangeSignature, from)
  }
  switch (code) {
    case operator.tableGet:
      return operands.replace(i32, element, from)
    case operator.tableSet:
      operands.pop(element, from)
      return operands.pop(i32, from)
    case operator.tableGrow:
      operands.pop(i32, from)
      return operands.replace(element, i32, from)
    case operator.tableFill:
      operands.pop(i32, from)
      operands.pop(element, from)
      return operands.pop(i32, from)
    case operator.tableInit:
      return checkRange(module.elements[index]?.element)
    default:
      // table.copy
      return checkRange(element)
  }
}
