/**
 * Bundles what is started often: the command `sibyl`, the worker threads of the virtual machine, and the one that
 * writes to the embedded database. One file loads in half the
 * time of a thousand. `npm run build` runs this after the compiler, and vitest before its first test, so that the
 * command and the workers of tests are those of the source.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { isBuiltin } from "node:module"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"

const root = fileURLToPath(new URL("..", import.meta.url))

/** Asked for by `pg` where somebody asks for native bindings, which nobody does here. */
export const unusedByPg = "pg-native"

/** The one file of Keccak, 11 kB; all hashes of the package together are 240 kB. */
const keccakOnly = { "hash-wasm": "hash-wasm/dist/keccak.umd.min.js" }

/** What is bundled, by package: what starts, and what stays outside. */
export const bundles = [
  {
    folder: "packages/server",
    entries: ["main.node", "main.nodeEdge", "main.bun", "main.bunEdge", "main.executor"].map((name) => `src/${name}.ts`),
    splitting: true,
    // Native code, files of their own, and what faces the network: its repairs must not wait for a release of ours.
    external: ["@photostructure/sqlite", "@sibyl/console", "@sibyl/programs", "bun:*", unusedByPg, "tiny-secp256k1", "ws"],
    alias: keccakOnly
  },
  // Whole files: a worker is started again while the server runs, and must not look for what another build left.
  {
    folder: "packages/vm",
    entries: ["src/worker.ts", "src/processWorker.ts", "src/profileWorker.ts"],
    splitting: false,
    external: [],
    alias: keccakOnly
  },
  { folder: "packages/sql", entries: ["src/writer.ts"], splitting: false, external: ["@photostructure/sqlite"] },
  // The verifier for whoever calls the service, with all that it needs; and the client as one file, for pages without a bundler.
  { folder: "packages/client", entries: ["src/verify.ts", "src/index.ts"], splitting: false, external: [], platform: "browser" },
  // What browsers load: the console's script and its style.
  { folder: "packages/console", entries: ["src/page/main.tsx", "src/page/main.css"], splitting: false, external: [], platform: "browser" }
]

/** The folder of a package in `node_modules`, of a module's path; undefined for modules of our own. */
const packageFolder = (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]

/** The modules of which something is in a bundle; from others it only takes types, or nothing that it uses. */
const contained = (outputs) =>
  Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs).filter((path) => inputs[path].bytesInOutput > 0))

/** The licences of what a bundle contains, as they ask for. */
const notices = (modules) => {
  const folders = [...new Set(modules.flatMap((path) => packageFolder(path) ?? []))].toSorted((one, two) => one.localeCompare(two))
  return folders
    .map((folder) => {
      const { license, name, version } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"))
      const file = readdirSync(join(root, folder)).find((entry) => /^licen[cs]e/i.test(entry))
      const text = file === undefined ? "" : `\n\n${readFileSync(join(root, folder, file), "utf8").trim()}`
      return `${name} ${version}, ${license}${text}\n`
    })
    .join(`\n${"-".repeat(80)}\n\n`)
}

/** Fails when a bundle loads a package that its own one does not declare. */
const checkLoaded = (folder, outputs) => {
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"))
  const declared = { ...dependencies, ...peerDependencies }
  for (const { external, path } of Object.values(outputs).flatMap(({ imports }) => imports)) {
    if (external !== true || isBuiltin(path) || path.startsWith("bun:") || path in declared || path === unusedByPg) continue
    throw new Error(`the bundle of ${folder} loads ${path}, which is not in its package.json`)
  }
}

/** Writes a file unless it says the same already; whoever reads it meanwhile reads the old one or the new one. */
const write = (path, contents) => {
  if (existsSync(path) && readFileSync(path).equals(contents)) return
  mkdirSync(dirname(path), { recursive: true })
  renameSync(writtenBeside(path, contents), path)
}

const writtenBeside = (path, contents) => {
  const beside = `${path}.${process.pid}`
  writeFileSync(beside, contents)
  return beside
}

const bundle = async ({ alias = {}, entries, external, folder, platform = "node", splitting }) => {
  const outdir = join(root, folder, "dist", "bundle")
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: entries.map((entry) => join(folder, entry)),
    outdir,
    bundle: true,
    splitting,
    format: "esm",
    platform,
    target: platform === "node" ? "node20" : "es2022",
    minifyIdentifiers: platform === "browser",
    jsx: "automatic",
    jsxImportSource: "preact",
    conditions: ["@sibyl/source"],
    external,
    alias,
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: "none",
    metafile: true,
    write: false,
    // CommonJS packages ask for Node's modules by `require`.
    banner:
      platform === "browser"
        ? {}
        : {
            js: 'import { createRequire as createBundleRequire } from "node:module";const require=createBundleRequire(import.meta.url);'
          },
    logLevel: "error"
  })
  checkLoaded(folder, metafile.outputs)
  const files = new Map(outputFiles.map(({ contents, path }) => [relative(outdir, path), Buffer.from(contents)]))
  files.set("LICENSES.txt", Buffer.from(notices(contained(metafile.outputs))))
  for (const [name, contents] of files) write(join(outdir, name), contents)
  return { names: new Set(files.keys()), outdir }
}

/** What earlier builds left: names of chunks contain a hash of their contents. */
const removeOthers = ({ names, outdir }) => {
  for (const name of readdirSync(outdir)) if (!names.has(name)) rmSync(join(outdir, name), { force: true })
}

const bundleAll = () => Promise.all(bundles.map(bundle))

/** What vitest calls before its first test. A server that runs meanwhile may still load an old chunk. */
export const setup = async () => {
  await bundleAll()
}

if (process.argv[1] === fileURLToPath(import.meta.url)) for (const made of await bundleAll()) removeOthers(made)
