/** The rules of public faces as plain functions: names by hand, layers that are called so, what stays inside. */
import ts from "typescript"
import { isForTests, type Rule } from "./rules.ts"
import { importsOf, type Source } from "./sourceFile.ts"

const eachOfFiles =
  (check: (source: Source) => ReadonlyArray<string>): Rule =>
  (sources) =>
    sources
      .filter(({ path }) => /^packages\/[^/]+\/src\//.test(path))
      .flatMap((source) => check(source).map((breach) => `${source.path}: ${breach}`))

const eachOfPackages = (check: (source: Source) => ReadonlyArray<string>): Rule =>
  eachOfFiles((source) => (isForTests(source.path) ? [] : check(source)))

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

const isSharedByTests = (path: string): boolean => /\/(?:testdata|fixtures)\//.test(path)

/**
 * Layers are called `X.layer` or `X.layerOther` beside their tag, and `layerX` by themselves; what is made for tests, and
 * shared by them, is called `layerTestX`, and nothing else is.
 */
export const layersAreCalledSo: Rule = eachOfFiles((source) => {
  if (source.path.endsWith(".test.ts")) return []
  const [form, name] = isSharedByTests(source.path) ? [/^layerTest(?:[A-Z]|$)/, "layerTest"] : [/^layer(?!Test)(?:[A-Z]|$)/, "layer"]
  return parse(source).statements.flatMap((statement) => {
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
      .filter((declaration) => isLayer(declaration) && !form.test(declaration.name.getText()))
      .map((declaration) => `the layer ${declaration.name.getText()} is to be called ${name}...`)
  })
})

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
