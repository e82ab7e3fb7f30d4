/** The rules of the repository as plain functions from sources to violations. */
import { posix } from "node:path"
import { moduleStateOf } from "./moduleState.ts"
import { exportsOf, importsOf, lineCount, opensWithDoc, type Source } from "./sourceFile.ts"

/** A rule: every violation as text, with the path of its file. */
export type Rule = (sources: ReadonlyArray<Source>) => ReadonlyArray<string>

const isTest = (path: string): boolean => path.endsWith(".test.ts")

/** Tests and their helpers may import anything. */
export const isForTests = (path: string): boolean => isTest(path) || /^test\/|\/(?:testdata|fixtures)\//.test(path)

const packageOf = (path: string): string | undefined => /^packages\/([^/]+)\/src\//.exec(path)?.[1]

const eachFile =
  (check: (source: Source) => ReadonlyArray<string>): Rule =>
  (sources) =>
    sources.flatMap((source) => check(source).map((breach) => `${source.path}: ${breach}`))

const layers = ["contract", "domain", "ports", "services", "edge"]

const layerOf = (path: string): number => layers.indexOf(/^packages\/core\/src\/([^/]+)\//.exec(path)?.[1] ?? "")

/** The file of a relative import. */
const targetOf = (path: string, specifier: string): string => posix.join(posix.dirname(path), specifier)

/**
 * Inside core, imports point left: contract, domain, ports, services, edge. The one exception is types: the contract uses the domain's
 * types of encodings, so that both agree, which leaves no import at run time.
 */
export const layersPointLeft: Rule = eachFile((source) => {
  const { path } = source
  const from = layerOf(path)
  if (from < 0 || isForTests(path)) return []
  return importsOf(source).flatMap(({ specifier, typeOnly }) => {
    const to = specifier.startsWith(".") ? layerOf(targetOf(path, specifier)) : -1
    const wordOfDomain = layers[from] === "contract" && layers[to] === "domain" && typeOnly
    return to <= from || wordOfDomain ? [] : [`${layers[from]} must not import from ${layers[to]} (${specifier})`]
  })
})

/** What each package may import from the others; one that is not named here may import all. */
const mayImport: Readonly<Record<string, ReadonlyArray<string>>> = {
  core: [],
  vm: ["core"],
  sql: ["core"],
  // Executors run programs on the same VM as the server.
  cluster: ["core", "vm"],
  telemetry: ["core"],
  // Only the verifier, which is bundled: the client itself depends on nothing.
  client: ["core"],
  console: ["client", "core"],
  "adapter-express": ["core"],
  "adapter-bun": ["core"],
  // The devkit runs programs on the same VM as the server.
  devkit: ["core", "vm"],
  // Audits and laws judge any implementation: they depend on the contract and on no VM.
  testing: ["core"],
  server: ["core", "vm", "sql", "cluster", "telemetry", "console", "adapter-express", "adapter-bun", "devkit", "programs"]
}

/** Between packages, imports point at core, by its name and never by a path. */
export const packagesPointAtCore: Rule = eachFile((source) => {
  const { path } = source
  const own = packageOf(path)
  if (own === undefined) return []
  return importsOf(source).flatMap(({ specifier }) => {
    if (specifier.startsWith(".")) {
      return packageOf(targetOf(path, specifier)) === own ? [] : [`must not reach out of its package (${specifier})`]
    }
    const other = /^@sibyl\/([^/]+)/.exec(specifier)?.[1]
    const allowed = other === undefined || isForTests(path) || (mayImport[own] ?? [other]).includes(other)
    return allowed ? [] : [`${own} must not import from ${other}`]
  })
})

/** Core runs on every runtime: it imports nothing specific to one. */
export const coreIsPortable: Rule = eachFile((source) =>
  packageOf(source.path) !== "core" || isForTests(source.path)
    ? []
    : importsOf(source)
        .filter(({ specifier }) => /^(?:node:|bun(?::|$)|deno:)/.test(specifier))
        .map(({ specifier }) => `core must not import ${specifier}`)
)

/** An implementation of one function, which is taken only if it answers the same: two services that share it cannot tell. */
const keepsAnImplementation = "packages/core/src/domain/encoding/keccak256.ts"

/**
 * Core has no module state: it is given what it needs, or keeps it in a service, so that two services in one process share nothing mutable.
 */
export const coreKeepsNoState: Rule = eachFile((source) =>
  packageOf(source.path) !== "core" || isForTests(source.path) || source.path === keepsAnImplementation ? [] : moduleStateOf(source)
)

/** Relative imports include the file extension. */
export const importsNameFiles: Rule = eachFile((source) =>
  importsOf(source)
    .filter(({ specifier }) => specifier.startsWith(".") && !/\.(?:tsx?|mjs|json|css)$/.test(specifier))
    .map(({ specifier }) => `the import ${specifier} must end in .ts, or .mjs for a benchmark`)
)

/** Names are fixed by the exporting file: no default exports, except in configurations of tools. */
export const noDefaultExports: Rule = eachFile((source) =>
  source.path.endsWith(".config.ts") || !exportsOf(source).some(({ isDefault }) => isDefault) ? [] : ["has a default export"]
)

/** Every file begins with its description. */
export const filesOpenWithDoc: Rule = eachFile((source) => (opensWithDoc(source) ? [] : ["does not open with a doc comment"]))

/** Every export has a description. */
export const exportsHaveDocs: Rule = eachFile((source) =>
  isForTests(source.path)
    ? []
    : exportsOf(source)
        .filter(({ documented }) => !documented)
        .map(({ name }) => `the export ${name} has no docstring`)
)

const emptyNames = /^(?:utils?|helpers?|common|shared|misc|managers?|types?|interfaces?|constants?)$/i

/** Files are named after their one idea; these names mean nothing. */
export const filesHaveNames: Rule = eachFile(({ path }) =>
  path
    .replace(/(?:\.test)?\.ts$/, "")
    .split("/")
    .filter((part) => emptyNames.test(part))
    .map((part) => `"${part}" names no idea`)
)

/** Maximum lines of a file. Tests may be longer, because they repeat one check for many cases. */
export const maxLines = { source: 300, test: 500 }

/** A file has one idea, so it is short. */
export const filesAreShort: Rule = eachFile((source) => {
  const lines = lineCount(source)
  const most = isTest(source.path) ? maxLines.test : maxLines.source
  return lines > most ? [`has ${lines} lines, ${most} is the most`] : []
})

/** Maximum lines of one file of an adapter, and of all its files. */
export const maxAdapterLines = { file: 99, package: 525 }

const isOfAdapter = ({ path }: Source): boolean => packageOf(path)?.startsWith("adapter-") === true && !isForTests(path)

/** The lines of each adapter's sources, without tests, by package name. */
export const adapterLines = (sources: ReadonlyArray<Source>): ReadonlyMap<string, number> => {
  const lines = new Map<string, number>()
  for (const source of sources.filter(isOfAdapter)) {
    const name = packageOf(source.path) ?? ""
    lines.set(name, (lines.get(name) ?? 0) + lineCount(source))
  }
  return lines
}

/** An adapter only passes bytes on: neither any of its files nor all of them together are long. */
export const adaptersAreSmall: Rule = (sources) => [
  ...sources
    .filter((source) => isOfAdapter(source) && lineCount(source) > maxAdapterLines.file)
    .map((source) => `${source.path}: has ${lineCount(source)} lines, ${maxAdapterLines.file} is the most for an adapter`),
  ...[...adapterLines(sources)]
    .filter(([, lines]) => lines > maxAdapterLines.package)
    .map(([name, lines]) => `packages/${name}: has ${lines} lines, ${maxAdapterLines.package} is the most for an adapter`)
]

/** A name in core has one meaning: no two of its files export the same one. */
export const coreNamesAreUnique: Rule = (sources) => {
  const files = new Map<string, string>()
  return sources
    .filter(({ path }) => packageOf(path) === "core" && !isForTests(path))
    .flatMap((source) =>
      exportsOf(source).flatMap(({ name }) => {
        const other = files.get(name)
        files.set(name, source.path)
        return name === "" || other === undefined || other === source.path ? [] : [`${source.path}: exports ${name}, as ${other} does`]
      })
    )
}

/** All rules by name. */
export const rules: Readonly<Record<string, Rule>> = {
  "layers of core point left": layersPointLeft,
  "packages point at core": packagesPointAtCore,
  "core imports nothing of one runtime": coreIsPortable,
  "modules of core keep no state": coreKeepsNoState,
  "relative imports end in .ts": importsNameFiles,
  "no default export": noDefaultExports,
  "no two files of core export one name": coreNamesAreUnique,
  "every file opens with a doc comment": filesOpenWithDoc,
  "every export has a docstring": exportsHaveDocs,
  "every file is named after an idea": filesHaveNames,
  "no file is longer than it may be": filesAreShort,
  "adapters are small": adaptersAreSmall
}
