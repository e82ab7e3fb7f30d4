/** The rules for entry points as plain functions: explicit exports, names of layers, internal entry points. */
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

/** A package exports its names explicitly: nothing becomes public just because it is in some file. */
export const exportsAreExplicit: Rule = eachOfPackages((source) =>
  parse(source)
    .statements.filter((statement) => ts.isExportDeclaration(statement))
    .filter(({ exportClause }) => exportClause === undefined || ts.isNamespaceExport(exportClause))
    .map(({ moduleSpecifier }) => `exports all of ${moduleSpecifier?.getText()}: name what is meant`)
)

/** Whether a declaration is a layer, by its type or its initializer; or a function that returns one. */
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
 * Layers are named `X.layer` or `X.layerOther` on their tag, and `layerX` elsewhere; layers that tests share are named `layerTestX`, and no
 * others are.
 */
export const layersAreNamedAsLayers: Rule = eachOfFiles((source) => {
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

/** What the packages share among themselves is internal: no example imports it. */
export const internalStaysInside: Rule = (sources) =>
  sources
    .filter(({ path }) => path.startsWith("examples/"))
    .flatMap((source) =>
      importsOf(source)
        .filter(({ specifier }) => specifier === "@sibyl/core/internal")
        .map(({ specifier }) => `${source.path}: ${specifier} is for Sibyl's own packages`)
    )

/** All rules for entry points by name. */
export const entryPointRules: Readonly<Record<string, Rule>> = {
  "public names are exported explicitly": exportsAreExplicit,
  "layers are named as layers": layersAreNamedAsLayers,
  "what is internal stays inside": internalStaysInside
}
