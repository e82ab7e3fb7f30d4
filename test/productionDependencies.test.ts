/** The production dependencies of the published packages: no test library, and everything that their code imports. */
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { bundledSources, type Manifest, neededBy, testLibrariesBroughtBy } from "./tidy/productionDependencies.ts"
import { importsOf, type Source } from "./tidy/sourceFile.ts"

const root = fileURLToPath(new URL("..", import.meta.url))

const manifestOf = (folder: string): Manifest => JSON.parse(readFileSync(`${root}${folder}/package.json`, "utf8"))

const folders = [...readdirSync(`${root}packages`).map((name) => `packages/${name}`), "programs"]
const workspace = folders.map(manifestOf)

describe("test libraries in production", () => {
  it("are dependencies of no published package except the test kit", () => {
    const others = workspace.map(({ name }) => name).filter((name) => name !== "@sibyl/testing")
    expect(others).toContain("@sibyl/server")
    expect(others.flatMap((name) => testLibrariesBroughtBy(name, workspace))).toEqual([])
  })

  it("are detected, with the chain of dependencies", () => {
    expect(testLibrariesBroughtBy("@sibyl/testing", workspace)).toEqual(["@sibyl/testing > fast-check"])
    const made: ReadonlyArray<Manifest> = [
      { name: "a", dependencies: { b: "1", c: "1" } },
      { name: "b", dependencies: { a: "1" }, peerDependencies: { "@sibyl/testing": "1" } },
      { name: "@sibyl/testing", dependencies: { "fast-check": "1" } }
    ]
    expect(testLibrariesBroughtBy("a", made)).toEqual(["a > b > @sibyl/testing", "a > b > @sibyl/testing > fast-check"])
    expect(testLibrariesBroughtBy("c", made)).toEqual([])
  })
})

/** The files of a package that are in its tarball. */
const shipped = (folder: string): ReadonlyArray<Source> =>
  readdirSync(`${root}${folder}/src`, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".ts") && !/\.test\.ts$|(?:^|\/)(?:testdata|fixtures)\//.test(path))
    .map((path) => ({ path: `${folder}/src/${path}`, text: readFileSync(`${root}${folder}/src/${path}`, "utf8") }))

/** The package of an import, or none for files and the runtime's own modules. */
const packageOf = (specifier: string): string | undefined =>
  /^(?:\.|node:|bun(?::|$))/.test(specifier) ? undefined : /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0]

describe("imports", () => {
  it.each(folders.filter((folder) => folder !== "programs"))("of %s are declared in its package.json", (folder) => {
    const manifest = manifestOf(folder)
    const declared = new Set(neededBy(manifest))
    const bundled = new Set(bundledSources(manifest).map((source) => `${folder}/${source}`))
    const unbundled = shipped(folder).filter(({ path }) => !bundled.has(path))
    const imported = unbundled.flatMap((source) =>
      importsOf(source).flatMap(({ specifier }) => {
        const name = packageOf(specifier)
        return name === undefined || declared.has(name) ? [] : [`${source.path}: ${name}`]
      })
    )
    expect(imported).toEqual([])
  })
})
