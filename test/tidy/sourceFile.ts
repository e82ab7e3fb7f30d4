/** One source file as the rules see it: its path, imports, exports and first comment. */
import ts from "typescript"

/** A file by its path from the root of the repository, with forward slashes. */
export interface Source {
  readonly path: string
  readonly text: string
}

/** One import or re-export. `typeOnly`: it is erased at run time. */
export interface Import {
  readonly specifier: string
  readonly typeOnly: boolean
}

/** One exported declaration. */
export interface Export {
  readonly name: string
  readonly isDefault: boolean
  readonly documented: boolean
}

const parsed = new WeakMap<Source, ts.SourceFile>()

/** The syntax tree of a file, parsed once for all rules. */
export const parse = (source: Source): ts.SourceFile => {
  const known = parsed.get(source)
  if (known !== undefined) return known
  const file = ts.createSourceFile(source.path, source.text, ts.ScriptTarget.Latest, true)
  parsed.set(source, file)
  return file
}

const isTypeOnly = (statement: ts.ImportDeclaration | ts.ExportDeclaration): boolean => {
  if (ts.isExportDeclaration(statement)) return statement.isTypeOnly
  const clause = statement.importClause
  if (clause === undefined) return false
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true
  const named = clause.namedBindings
  return (
    clause.name === undefined &&
    named !== undefined &&
    ts.isNamedImports(named) &&
    named.elements.length > 0 &&
    named.elements.every((element) => element.isTypeOnly)
  )
}

/** Every static import and re-export, and every `import("...")` of a text. */
export const importsOf = (source: Source): ReadonlyArray<Import> => {
  const found: Array<Import> = []
  const visit = (node: ts.Node): void => {
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier !== undefined) {
      if (ts.isStringLiteral(node.moduleSpecifier)) {
        found.push({ specifier: node.moduleSpecifier.text, typeOnly: isTypeOnly(node) })
      }
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [argument] = node.arguments
      if (argument !== undefined && ts.isStringLiteral(argument)) found.push({ specifier: argument.text, typeOnly: false })
    }
    ts.forEachChild(node, visit)
  }
  visit(parse(source))
  return found
}

/** A name that a file imports from a specifier, under any local name. */
export interface ImportedName {
  readonly name: string
  readonly specifier: string
  readonly typeOnly: boolean
}

/** All names in the static imports of a file. */
export const importedNames = (source: Source): ReadonlyArray<ImportedName> =>
  parse(source).statements.flatMap((statement): ReadonlyArray<ImportedName> => {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) return []
    const specifier = statement.moduleSpecifier.text
    const named = statement.importClause?.namedBindings
    if (named === undefined || !ts.isNamedImports(named)) return []
    const allTypes = isTypeOnly(statement)
    return named.elements.map(({ isTypeOnly: type, name, propertyName }) => ({
      name: (propertyName ?? name).text,
      specifier,
      typeOnly: allTypes || type
    }))
  })

const has = (statement: ts.Statement, kind: ts.SyntaxKind): boolean =>
  ts.canHaveModifiers(statement) && (ts.getModifiers(statement) ?? []).some((modifier) => modifier.kind === kind)

const nameOf = (statement: ts.Statement): string => {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.map(({ name }) => name.getText()).join(", ")
  }
  const { name } = statement as { readonly name?: ts.Node }
  return name?.getText() ?? "default"
}

/** Every exported declaration of the file; re-exports belong to their own file. */
export const exportsOf = (source: Source): ReadonlyArray<Export> => {
  const file = parse(source)
  return file.statements.flatMap((statement, index): ReadonlyArray<Export> => {
    if (ts.isExportAssignment(statement)) return [{ name: "default", isDefault: true, documented: true }]
    if (!has(statement, ts.SyntaxKind.ExportKeyword)) return []
    const leading = ts.getLeadingCommentRanges(source.text, statement.getFullStart()) ?? []
    const comments = leading.filter(({ pos }) => source.text.startsWith("/**", pos)).length
    // The comment that opens the file is also before its first statement, but does not describe it.
    const own = index === 0 ? comments - 1 : comments
    return [{ name: nameOf(statement), isDefault: has(statement, ts.SyntaxKind.DefaultKeyword), documented: own > 0 }]
  })
}

/** Whether the file begins with a doc comment, after a possible interpreter line. */
export const opensWithDoc = ({ text }: Source): boolean => /^(?:#![^\n]*\n)?\/\*\*\s+\S/.test(text)

/** Lines of text; a line feed at the end of the file begins no further line. */
export const lineCount = ({ text }: Source): number => text.replace(/\n$/, "").split("\n").length
