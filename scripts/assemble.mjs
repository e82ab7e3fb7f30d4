/**
 * Assembles what a machine needs to run the built command `sibyl`, and nothing else: the bundles, the packages that they load, and the
 * native code of one platform. `npm run assemble -- FOLDER` after `npm run build`; the container and the systemd installation use it.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs"
import { isBuiltin } from "node:module"
import { dirname, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { bundles, unusedByPg } from "./bundle.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))

/** Files of our packages that run; `package.json` and licence go with each. */
const ours = {
  "packages/server": [
    "bin",
    "dist/bundle",
    ...["threadSignatures", "nativeSignatures", "wasmSignatures", "recoveryId"].map((name) => `dist/service/signing/${name}.js`)
  ],
  "packages/vm": ["dist/bundle/worker.js", "dist/bundle/processWorker.js", "dist/bundle/profileWorker.js", "dist/bundle/LICENSES.txt"],
  "packages/sql": ["dist/bundle"],
  "packages/console": ["dist/index.js", "dist/pageHtml.js", "dist/withConsole.js", "dist/bundle"],
  programs: ["build", "catalogue.js"]
}

/** Nothing of a package that nobody loads at run time. Sources and build files of native code are among them. */
const isLoaded = (path) =>
  !/\.(?:md|map|ts|mts|cts|c|cc|cpp|h|hpp|gyp|gypi|flow)$|\/(?:test|tests|example|examples|docs|\.github)(?:\/|$)/i.test(path)

/** Whether a file of `prebuilds/PLATFORM-ARCHITECTURE` is for this machine; any other file is. */
const isOfThisPlatform = (path) => {
  const [, platform] = /\/prebuilds\/([^/]+)/.exec(path) ?? []
  return (platform === undefined || platform === `${process.platform}-${process.arch}`) && !path.endsWith(".musl.node")
}

const manifestOf = (folder) => JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"))

/** The folder of an installed package as its dependent finds it, from the root; undefined when it is not installed. */
const installed = (name, from) => {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = join(folder === "." ? "" : folder, "node_modules", name)
    if (existsSync(join(root, found, "package.json"))) return found
    if (folder === ".") return undefined
  }
}

/** A package's folder and those of everything that it depends on. An optional package that is not installed is left out. */
const closureOf = (name, from, optional, known) => {
  const folder = installed(name, from)
  if (folder === undefined) {
    if (optional) return known
    throw new Error(`${name}, which ${from} loads, is not installed: run npm ci`)
  }
  if (known.has(folder)) return known
  known.add(folder)
  const { dependencies = {}, optionalDependencies = {} } = manifestOf(folder)
  for (const next of Object.keys(dependencies)) closureOf(next, folder, next in optionalDependencies, known)
  for (const next of Object.keys(optionalDependencies)) closureOf(next, folder, true, known)
  return known
}

/** The installed packages that our bundles load. */
const packagesOf = () => {
  const known = new Set()
  for (const { external, folder } of bundles) {
    const names = external.filter(
      (name) => !isBuiltin(name) && !name.startsWith("bun:") && !name.startsWith("@sibyl/") && name !== unusedByPg
    )
    for (const name of names) closureOf(name, folder, false, known)
    for (const name of Object.keys(manifestOf(folder).optionalDependencies ?? {})) closureOf(name, folder, true, known)
  }
  return known
}

/** Packages of a workspace's own `node_modules` have their place under the package's name. */
const placeOf = (folder) => {
  const [, workspace, rest] = /^(packages\/[^/]+|programs)\/(.*)$/.exec(folder) ?? []
  return workspace === undefined ? folder : join("node_modules", manifestOf(workspace).name, rest)
}

const copy = (from, to, filter = () => true) =>
  cpSync(join(root, from), to, { recursive: true, dereference: true, filter: (path) => filter(`/${relative(root, path)}`) })

/** Writes the installation into a folder, which must be missing or empty. */
export const assemble = (target) => {
  if (existsSync(target) && readdirSync(target).length > 0)
    throw new Error(`${target} is not empty: name a new folder, or remove this one first`)
  for (const folder of packagesOf()) {
    const inner = `/${folder}/node_modules`
    copy(folder, join(target, placeOf(folder)), (path) => path !== inner && isLoaded(path) && isOfThisPlatform(path))
  }
  for (const [folder, files] of Object.entries(ours)) {
    const place = join(target, "node_modules", manifestOf(folder).name)
    for (const file of [...files, "package.json", "LICENSE"])
      if (existsSync(join(root, folder, file)) || file !== "LICENSE") copy(join(folder, file), join(place, file))
  }
  const bin = join(target, "bin")
  mkdirSync(bin)
  symlinkSync("../node_modules/@sibyl/server/bin/sibyl.js", join(bin, "sibyl"))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [target] = process.argv.slice(2)
  if (target === undefined) {
    process.stderr.write("npm run assemble -- FOLDER: the folder to make\n")
    process.exitCode = 2
  } else {
    try {
      assemble(resolve(target))
    } catch (error) {
      process.stderr.write(`${error.message}\n`)
      process.exitCode = 1
    }
  }
}
