/**
 * The public names of every package with their signatures, as one committed text for each entry point: `docs/api/*.api.md`. `npm run api`
 * writes them from the built declarations, `npm run api:check` fails if one differs from the build.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { CompilerState, Extractor, ExtractorConfig, ExtractorLogLevel } from "@microsoft/api-extractor"

const root = fileURLToPath(new URL("..", import.meta.url))
const reportFolder = join(root, "docs", "api")
const isCheck = process.argv.includes("--check")

/** Entry points that semantic versioning covers: all with types, except those called internal. */
const entries = readdirSync(join(root, "packages")).flatMap((name) => {
  const folder = join(root, "packages", name)
  const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  return Object.entries(exports)
    .filter(([path, { types }]) => types !== undefined && path !== "./internal")
    .map(([path, { types }]) => ({ folder, report: [name, ...path.split("/").slice(1)].join("-"), types: join(folder, types) }))
})

const unseen = { logLevel: "none" }

const configOf = ({ folder, report, types }, tempFolder) =>
  ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: join(folder, "package.json"),
    configObject: {
      projectFolder: folder,
      mainEntryPointFilePath: types,
      newlineKind: "lf",
      compiler: {
        skipLibCheck: true,
        overrideTsconfig: {
          compilerOptions: {
            target: "es2023",
            lib: ["ES2023", "DOM", "DOM.Iterable"],
            module: "nodenext",
            moduleResolution: "nodenext",
            strict: true,
            exactOptionalPropertyTypes: true,
            skipLibCheck: true,
            types: ["node", "bun"]
          },
          files: entries.map((entry) => entry.types)
        }
      },
      apiReport: {
        enabled: true,
        includeForgottenExports: true,
        reportFileName: report,
        reportFolder: join(tempFolder, "written"),
        reportTempFolder: tempFolder
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        compilerMessageReporting: { default: { logLevel: "error" } },
        extractorMessageReporting: {
          default: { logLevel: "error" },
          // What a signature names but nobody can import is in the report without `export`.
          "ae-forgotten-export": unseen,
          "ae-missing-release-tag": unseen,
          "ae-undocumented": unseen,
          "ae-unresolved-link": unseen
        },
        tsdocMessageReporting: { default: unseen }
      }
    }
  })

/** The order in which the compiler lists members and alternatives depends on which files it built before, so it is ignored. */
const withoutOrder = (text) =>
  text
    .split("\n")
    .map((line) => (line.match(/[\w$"]+/g) ?? []).toSorted().join(" "))
    .toSorted()
    .join("\n")

const tempFolder = mkdtempSync(join(tmpdir(), "sibyl-api-"))
const faults = []
try {
  mkdirSync(join(tempFolder, "written"))
  const configs = entries.map((entry) => configOf(entry, tempFolder))
  // One program for all of them, so that the declarations of Effect are read once.
  const compilerState = CompilerState.create(configs[0], { additionalEntryPoints: entries.map(({ types }) => types) })
  for (const config of configs) {
    Extractor.invoke(config, {
      compilerState,
      localBuild: true,
      messageCallback: (message) => {
        if (message.logLevel === ExtractorLogLevel.Error) faults.push(message.formatMessageWithLocation(root))
        message.handled = true
      }
    })
    const told = `docs/api/${basename(config.reportFilePath)}`
    const committed = join(root, told)
    const text = readFileSync(config.reportFilePath, "utf8")
    const isChanged = !existsSync(committed) || withoutOrder(readFileSync(committed, "utf8")) !== withoutOrder(text)
    if (isChanged && isCheck) faults.push(`${told} is not what the build says: run npm run api, and read the difference`)
    if (isChanged && !isCheck) {
      writeFileSync(committed, text)
      process.stdout.write(`${told} is written\n`)
    }
    if (text.includes("@sibyl/core/internal")) faults.push(`${told} has a name of @sibyl/core/internal, which nobody else may import`)
  }
  const known = new Set(entries.map(({ report }) => `${report}.api.md`))
  for (const file of readdirSync(reportFolder)) {
    if (!known.has(file)) faults.push(`docs/api/${file} is of no entry point: remove it`)
  }
} finally {
  rmSync(tempFolder, { recursive: true })
}
for (const fault of faults) process.stderr.write(`${fault}\n`)
process.exitCode = faults.length === 0 ? 0 : 1
