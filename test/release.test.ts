/** The cheap part of `npm run release:check`: pins, contents of packages, licences, and that its rules find what they are for. */
import { execFileSync, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { faultsOfMaps, faultsOfPaths } from "../scripts/release/contents.mjs"
import { faultsOfLicences } from "../scripts/release/licences.mjs"
import { faultsOfPins } from "../scripts/release/pins.mjs"

const root = fileURLToPath(new URL("..", import.meta.url))
const onBun = typeof globalThis.Bun !== "undefined"

const textOf = (path: string): string => readFileSync(root + path, "utf8")

const folders = [...readdirSync(`${root}packages`).map((name) => `packages/${name}`), "programs"]

const manifestOf = (folder: string) => JSON.parse(textOf(`${folder}/package.json`))

const npm = (...args: ReadonlyArray<string>) =>
  JSON.parse(execFileSync("npm", args, { cwd: root, maxBuffer: 2 ** 28, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }))

describe("versions of dependencies", () => {
  it("are exact", () => {
    expect([".", ...folders].flatMap((folder) => faultsOfPins(manifestOf(folder)))).toEqual([])
  })

  it("that are ranges, tags or anything are found, peers may be ranges", () => {
    const dependencies = { a: "^1.0.0", b: "latest", c: "*", d: "1.0.0", e: "npm:f@2.0.1" }
    const manifest = { name: "x", dependencies, devDependencies: {}, optionalDependencies: { h: "2" }, peerDependencies: { g: "^1.0.0" } }
    expect(faultsOfPins(manifest)).toHaveLength(4)
  })
})

// npm does not depend on the runtime of this test.
describe.skipIf(onBun)("what would be released", () => {
  // Source maps are looked at by the whole check: a working folder has outputs of sources that were moved since.
  it("has only expected files", () => {
    const packed: ReadonlyArray<{ readonly name: string; readonly files: ReadonlyArray<{ readonly path: string }> }> = npm(
      "pack",
      "--dry-run",
      "--json",
      "--ignore-scripts",
      "-w",
      "packages",
      "-w",
      "programs"
    )
    expect(new Set(packed.map(({ name }) => name))).toEqual(new Set(folders.map((folder) => manifestOf(folder).name)))
    for (const { files, name } of packed) {
      const paths = files.map(({ path }) => path)
      expect(faultsOfPaths(name, paths)).toEqual([])
    }
  })

  it("depends only on packages whose licence is allowed", () => {
    const sbom = npm("sbom", "--sbom-format", "cyclonedx", "--omit", "dev")
    expect(sbom.components.length).toBeGreaterThan(50)
    expect(faultsOfLicences(sbom)).toEqual([])
  })

  it("is described in the changelog", () => {
    expect(textOf("CHANGELOG.md")).toContain(`\n## ${manifestOf(".").version}\n`)
  })
})

describe("the rules of a release", () => {
  it("find tests, data of tests, leftovers of the compiler, and dangling source maps", () => {
    const paths = ["dist/index.js", "src/a.test.ts", "src/testdata/b.ts", "dist/.tsbuildinfo", "notes.txt"]
    expect(faultsOfPaths("@sibyl/core", paths)).toHaveLength(4)
    const map = JSON.stringify({ sources: ["../src/index.ts"] })
    expect(faultsOfMaps("@sibyl/core", ["dist/index.js.map"], () => map)).toHaveLength(1)
    expect(faultsOfMaps("@sibyl/core", ["dist/index.js.map", "src/index.ts"], () => map)).toEqual([])
  })

  it("find licences that are not allowed, or missing; one of several is enough", () => {
    const components = [
      { name: "a", version: "1", licenses: [{ license: { id: "GPL-3.0-only" } }] },
      { name: "b", version: "1" },
      { name: "c", version: "1", licenses: [{ expression: "(MIT OR GPL-3.0-only)" }] },
      { name: "d", version: "1", licenses: [{ expression: "MIT AND GPL-3.0-only" }] }
    ]
    expect(faultsOfLicences({ components }).map((fault: string) => fault.slice(0, 1))).toEqual(["a", "b", "d"])
  })
})

describe.skipIf(onBun)("a package that is not built", () => {
  const checked = (manifest: object, files: ReadonlyArray<string>) => {
    const folder = mkdtempSync(join(tmpdir(), "sibyl-unbuilt-"))
    try {
      mkdirSync(join(folder, "dist"))
      for (const [name, text] of [["package.json", JSON.stringify(manifest)], ...files.map((file) => [file, ""])] as const) {
        writeFileSync(join(folder, name ?? ""), text ?? "")
      }
      return spawnSync(process.execPath, [`${root}scripts/release/requireBuild.mjs`], { cwd: folder, encoding: "utf8" })
    } finally {
      rmSync(folder, { recursive: true })
    }
  }
  const exports = { ".": { "@sibyl/source": "./src/index.ts", default: "./dist/index.js" }, "./sdk/*": "./sdk/*.ts" }
  const manifest = { name: "some", exports, bin: { some: "dist/some.js" } }

  it("cannot be packed, and says what is missing", () => {
    const { status, stderr } = checked(manifest, ["dist/some.js"])
    expect(stderr).toBe(
      "some cannot be packed: it is not built (there is no ./dist/index.js). Run `npm run build` in the root of the checkout.\n"
    )
    expect(status).toBe(1)
  })

  it("can be packed once it is built", () => {
    expect(checked(manifest, ["dist/some.js", "dist/index.js"])).toMatchObject({ status: 0, stderr: "" })
  })

  it("is looked for in every package", () => {
    for (const folder of folders)
      expect(manifestOf(folder).scripts.prepack).toMatch(/^node (?:\.\.\/){1,2}scripts\/release\/requireBuild\.mjs$/)
  })
})
