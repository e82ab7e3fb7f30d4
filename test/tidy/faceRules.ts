/** The rules of public faces as plain functions: names by hand, layers that are called so, what stays inside. */
import ts from "typescript"
import { isForTests, type Rule } from "./rules.ts"
import { importsOf, type Source } from "./sourceFile.ts"

const eachOfPackages =
  (check: (source: Source) => ReadonlyArray<string>): Rule =>
  (sources) =>
    sources
      .filter(({ path }) => /^packages\/[^/]+\/src\//.test(path) && !isForTests(path))
      .flatMap((source) => check(source).map((breach) => `${source.path}: ${breach}`))

const parse = ({ path, text }: Source): ts.SourceFile => ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)

/** What a package offers is said name by name: nothing becomes public because it lies in some file. */
export const namesAreByHand: Rule = eachOfPackages((source) =>
  parse(source)
    .statements.filter((statement) => ts.isExportDeclaration(statement))
    .filter(({ exportClause }) => exportClause === undefined || ts.isNamespaceExport(exportClause))
    .map(({ moduleSpecifier }) => `exports all of ${moduleSpecifier?.getText()}: name what is meant`)
)

/** Whether a declaration is a layer, by its type or by what it is made with; or a function that answers one. */
const isLayer = (declaration: ts.VariableDeclaration | ts.PropertyDeclaration): boolean => {
  const { initializer, type } = declaration
  const answer = initializer !== undefined && ts.isArrowFunction(initializer) ? initializer.type : undefined
  return (
    [type, answer].some((said) => said?.getText().startsWith("Layer.Layer<") === true) ||
    /^Layer\.(?!provide|build|launch)\w+\(/.test(initializer?.getText() ?? "")
  )
}

/** Layers are called `X.layer` or `X.layerOther` beside their tag, and `layerX` by themselves. */
export const layersAreCalledSo: Rule = eachOfPackages((source) =>
  parse(source).statements.flatMap((statement) => {
    const isExported = (ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : []).some(
      ({ kind }) => kind === ts.SyntaxKind.ExportKeyword
    )
    if (!isExported) return []
    const declared: ReadonlyArray<ts.VariableDeclaration | ts.PropertyDeclaration> = ts.isVariableStatement(statement)
      ? statement.declarationList.declarations
      : ts.isClassDeclaration(statement)
        ? statement.members.filter((member) => ts.isPropertyDeclaration(member))
        : []
    return declared
      .filter((declaration) => isLayer(declaration) && !/^layer(?:[A-Z]|$)/.test(declaration.name.getText()))
      .map(({ name }) => `the layer ${name.getText()} is to be called layer...`)
  })
)

/** What the packages share among themselves is shown to nobody: no example imports it. */
export const internalStaysInside: Rule = (sources) =>
  sources
    .filter(({ path }) => path.startsWith("examples/"))
    .flatMap((source) =>
      importsOf(source)
        .filter(({ specifier }) => specifier === "@sibyl/core/internal")
        .map(({ specifier }) => `${source.path}: ${specifier} is for Sibyl's own packages`)
    )

/** All rules of faces by what they say. */
export const faceRules: Readonly<Record<string, Rule>> = {
  "public names are said by hand": namesAreByHand,
  "layers are called layers": layersAreCalledSo,
  "what is internal stays inside": internalStaysInside
}
