/** Which functions of a module may be named by `ref.func` in its code. */
import { externalKind, type ConstantExpression, type ModuleShape } from "./moduleShape.ts"
import { operator } from "./operators.ts"

/** The functions that the module names outside of its code: in exports, element segments and initial values. */
export const referableFunctions = (module: ModuleShape): ReadonlySet<number> => {
  const found = new Set<number>()
  const look = (constant: ConstantExpression): void => {
    if (constant.operator === operator.refFunc) found.add(constant.index)
  }
  for (const { index, kind } of module.exports) if (kind === externalKind.function) found.add(index)
  for (const { initial } of module.globalDefinitions) look(initial)
  for (const { expressions, functions } of module.elements) {
    for (const index of functions ?? []) found.add(index)
    for (const expression of expressions ?? []) look(expression)
  }
  return found
}
