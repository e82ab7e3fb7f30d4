/** State that a module keeps for the lifetime of the process, as far as its source shows it. */
import ts from "typescript"
import { parse, type Source } from "./sourceFile.ts"

const collections = new Set(["Map", "Set", "WeakMap", "WeakSet"])

/** A collection whose declared type prevents writing. */
const isReadonlyTyped = (node: ts.Node): boolean => {
  const { parent } = node
  const type = ts.isVariableDeclaration(parent) || ts.isPropertyDeclaration(parent) ? parent.type : undefined
  return type !== undefined && /^Readonly(?:Map|Set)\b/.test(type.getText())
}

const hasModifier = (node: ts.PropertyDeclaration, kind: ts.SyntaxKind): boolean =>
  (ts.getModifiers(node) ?? []).some((modifier) => modifier.kind === kind)

const isStatic = (node: ts.PropertyDeclaration): boolean => hasModifier(node, ts.SyntaxKind.StaticKeyword)

/** The state in one node, as something that exists from the time its module is loaded. */
const stateOf = (node: ts.Node): string | undefined => {
  if (ts.isRegularExpressionLiteral(node) && /[gy][a-z]*$/.test(node.text.slice(node.text.lastIndexOf("/")))) {
    return `the expression ${node.text} remembers where it looks next`
  }
  if (ts.isNewExpression(node) && collections.has(node.expression.getText()) && !isReadonlyTyped(node)) {
    return `a ${node.expression.getText()} that can be written`
  }
  if (ts.isCallExpression(node) && /(?:^|\.)globalValue$/.test(node.expression.getText())) {
    return /FiberRef\.unsafeMake/.test(node.getText()) ? undefined : "a global value that is no FiberRef"
  }
  return undefined
}

/** Every piece of state of the module, described. */
export const moduleStateOf = (source: Source): ReadonlyArray<string> => {
  const found: Array<string> = []
  // What is made inside a function belongs to the call; a static field belongs to the module wherever its class is.
  const visit = (node: ts.Node, isCalled: boolean): void => {
    if (ts.isPropertyDeclaration(node)) {
      if (isStatic(node) && !hasModifier(node, ts.SyntaxKind.ReadonlyKeyword)) {
        found.push(`the static field ${node.name.getText()} can be written`)
      }
      if (!isStatic(node)) return
    }
    const state = isCalled ? undefined : stateOf(node)
    if (state !== undefined) found.push(state)
    ts.forEachChild(node, (child) => visit(child, isCalled || ts.isFunctionLike(node)))
  }
  const file = parse(source)
  for (const statement of file.statements) {
    if (ts.isVariableStatement(statement) && (statement.declarationList.flags & ts.NodeFlags.Const) === 0) {
      found.push(`${statement.declarationList.getText()} can be written`)
    }
  }
  visit(file, false)
  return found
}
