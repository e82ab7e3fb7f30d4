/**
 * `npm run release:check`: whether this commit could be released. Packs every package and looks at what users would get; publishes nothing.
 * `--only NAME` (again and again) runs some of the checks. The bill of materials is left in `release/sbom.cdx.json`.
 */
import { readdirSync, readFileSync } from "node:fs"
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { faultsOfMaps, faultsOfPaths } from "./contents.mjs"
import { countedLicences, faultsOfLicences } from "./licences.mjs"
import { faultsOfPins } from "./pins.mjs"
import { pack, run } from "./run.mjs"
import { comparePacks } from "./sameBytes.mjs"

const root = fileURLToPath(new URL("../..", import.meta.url))
const manifestAt = (folder) => JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"))
const folders = [...readdirSync(join(root, "packages")).map((name) => `packages/${name}`), "programs"]
const folderOf = new Map(folders.map((folder) => [manifestAt(folder).name, folder]))
const bin = (name) => join(root, "node_modules", ".bin", name)

const tarballsIn = (packed, work) => packed.map(({ filename }) => join(work, filename))

/** What a tool has printed about each package that it refuses. */
const failing = async (packages, check) => {
  const faults = []
  for (const each of packages) await check(each).catch((cause) => faults.push(cause.message))
  return faults
}

/** Each answers what is wrong, and in a few words what was looked at. */
const checks = {
  pins: () => ({
    faults: [".", ...folders].flatMap((folder) => faultsOfPins(manifestAt(folder))),
    said: "dependencies are exact versions"
  }),
  contents: ({ packed }) => {
    const faults = packed.flatMap(({ files, name }) => {
      const paths = files.map(({ path }) => path)
      const read = (path) => readFileSync(join(root, folderOf.get(name), path), "utf8")
      return [...faultsOfPaths(name, paths), ...faultsOfMaps(name, paths, read)]
    })
    const files = packed.reduce((sum, { files: each }) => sum + each.length, 0)
    return { faults, said: `${packed.length} packages, ${files} files, no tests, no dangling source maps` }
  },
  publint: async ({ packed, work }) => ({
    faults: await failing(tarballsIn(packed, work), (tarball) => run(bin("publint"), ["run", tarball, "--strict"])),
    said: "manifests and entry points"
  }),
  types: async ({ packed, work }) => ({
    faults: await failing(packed, ({ filename, name }) => {
      const args = [join(work, filename), "--profile", "esm-only", "--format", "ascii"]
      const modules = Object.keys(manifestAt(folderOf.get(name)).exports).filter((entry) => entry.endsWith(".wasm"))
      // Bytes have no types.
      return run(bin("attw"), modules.length === 0 ? args : [...args, "--exclude-entrypoints", ...modules])
    }),
    said: "resolve under Node16 and for bundlers (attw)"
  }),
  licences: async () => {
    const sbom = JSON.parse(await run("npm", ["sbom", "--sbom-format", "cyclonedx", "--omit", "dev"], { cwd: root }))
    await mkdir(join(root, "release"), { recursive: true })
    await writeFile(join(root, "release", "sbom.cdx.json"), `${JSON.stringify(sbom, null, 2)}\n`)
    return { faults: faultsOfLicences(sbom), said: `${countedLicences(sbom)}; SBOM in release/sbom.cdx.json` }
  },
  api: async () => {
    await run("npm", ["run", "--silent", "api:check"], { cwd: root })
    return { faults: [], said: "public names are those of docs/api" }
  },
  changelog: async () => {
    const { version } = manifestAt(".")
    const text = await readFile(join(root, "CHANGELOG.md"), "utf8")
    return { faults: text.includes(`\n## ${version}`) ? [] : [`no section for ${version}`], said: `has a section for ${version}` }
  },
  installed: async () => {
    await run("npx", ["vitest", "run", "test/packages.test.ts"], { cwd: root })
    return { faults: [], said: "tarballs in an empty folder: command, Express example, types; Bun too" }
  },
  "same bytes": async ({ work }) => {
    const { commit, digests, faults } = await comparePacks(root, work)
    const lines = [...digests].map(([file, digest]) => `${digest}  ${file}\n`)
    await writeFile(join(root, "release", "sha256sums.txt"), lines.join(""))
    return { faults, said: `two checkouts of ${commit.slice(0, 7)}; digests in release/sha256sums.txt` }
  }
}

const perform = async (name, facts) => {
  const startedMs = performance.now()
  const { faults, said } = await (async () => checks[name](facts))().catch((cause) => ({ faults: [cause.message], said: "" }))
  return { name, faults, said, seconds: (performance.now() - startedMs) / 1_000 }
}

const main = async () => {
  const { values } = parseArgs({ options: { only: { type: "string", multiple: true, default: Object.keys(checks) } } })
  const unknown = values.only.filter((name) => !Object.hasOwn(checks, name))
  if (unknown.length > 0) throw new Error(`no check ${unknown.join(", ")}: there are ${Object.keys(checks).join(", ")}`)
  const work = await mkdtemp(join(tmpdir(), "sibyl-release-"))
  try {
    await mkdir(join(root, "release"), { recursive: true })
    const packed = await pack(root, work)
    const rows = []
    for (const name of values.only) {
      const row = await perform(name, { packed, work })
      rows.push(row)
      for (const fault of row.faults) process.stdout.write(`${fault}\n`)
    }
    process.stdout.write("\n")
    for (const { faults, name, said, seconds } of rows) {
      const verdict = faults.length === 0 ? "ok    " : "FAILED"
      process.stdout.write(
        `${verdict} ${name.padEnd(12)} ${seconds.toFixed(0).padStart(4)} s  ${faults.length === 0 ? said : `${faults.length} faults, above`}\n`
      )
    }
    if (rows.some(({ faults }) => faults.length > 0)) process.exitCode = 1
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

await main()
