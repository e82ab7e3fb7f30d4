/** The tests of a source file by title. */
import ts from "typescript"

/** One test of a file. */
export interface NamedTest {
  /** The titles of the groups around it and its own, joined by " > ". Template substitutions are shown as `${…}`. */
  readonly title: string
  /** Whether it runs and can fail: it is not skipped, and its body reaches an assertion. */
  readonly asserts: boolean
}

/** The called name: `it`, `it.each`, `describe.skipIf`, … as written, without arguments. */
const calleeOf = (call: ts.CallExpression): string => {
  const { expression } = call
  return ts.isCallExpression(expression) ? calleeOf(expression) : expression.getText()
}

const titleOf = (argument: ts.Expression | undefined): string => {
  if (argument === undefined) return ""
  if (ts.isStringLiteralLike(argument)) return argument.text
  if (ts.isTemplateExpression(argument)) {
    return [argument.head.text, ...argument.templateSpans.map(({ literal }) => literal.text)].join("${…}")
  }
  return "${…}"
}

/** The names of the file's own functions that reach an assertion. */
const assertingNames = (file: ts.SourceFile): ReadonlySet<string> => {
  const declared: Array<readonly [name: string, body: string]> = []
  const visit = (node: ts.Node): void => {
    if ((ts.isVariableDeclaration(node) || ts.isFunctionDeclaration(node)) && node.name !== undefined) {
      declared.push([node.name.getText(), node.getText()])
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  const found = new Set(["expect", "assert"])
  for (let before = 0; before < found.size;) {
    before = found.size
    for (const [name, body] of declared) if (mentions(body, found)) found.add(name)
  }
  return found
}

const mentions = (text: string, names: ReadonlySet<string>): boolean =>
  (text.match(/[A-Za-z_$][\w$]*/g) ?? []).some((word) => names.has(word))

/** Every test of a file. */
export const namedTests = (path: string, text: string): ReadonlyArray<NamedTest> => {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const asserting = assertingNames(file)
  const found: Array<NamedTest> = []
  const visit = (node: ts.Node, around: ReadonlyArray<string>, isSkipped: boolean): void => {
    if (!ts.isCallExpression(node)) return ts.forEachChild(node, (child) => visit(child, around, isSkipped))
    const [called, ...how] = calleeOf(node).split(".")
    const isCase = called === "it" || called === "test"
    const isComplete = node.arguments.length > 1
    if (!(isCase || called === "describe") || !isComplete) return ts.forEachChild(node, (child) => visit(child, around, isSkipped))
    const titles = [...around, titleOf(node.arguments[0])]
    const skipped = isSkipped || how.includes("skip") || how.includes("todo")
    if (!isCase) return node.arguments.forEach((argument) => visit(argument, titles, skipped))
    const body = node.arguments
      .slice(1)
      .map((argument) => argument.getText())
      .join("\n")
    found.push({ title: titles.join(" > "), asserts: !skipped && mentions(body, asserting) })
  }
  visit(file, [], false)
  return found
}
