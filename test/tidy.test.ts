/** The rules of the repository, applied to every source file; each rule is also tested with a violation. */
import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import * as Faces from "./tidy/entryPointRules.ts"
import * as Rooms from "./tidy/roomRules.ts"
import { rooms } from "./tidy/rooms.ts"
import type { Source } from "./tidy/sourceFile.ts"
import * as Tidy from "./tidy/rules.ts"

const root = fileURLToPath(new URL("..", import.meta.url))

const walk = (folder: string): ReadonlyArray<string> =>
  readdirSync(root + folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name.startsWith(".") || ["node_modules", "dist", "build"].includes(entry.name)) return []
    return entry.isDirectory() ? walk(`${folder}${entry.name}/`) : [`${folder}${entry.name}`]
  })

/** Every tracked file; outside of git (a published archive), every file that is not generated. */
const files = (): ReadonlyArray<string> => {
  try {
    const listed = execFileSync("git", ["ls-files", "-z"], {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"]
    })
    return listed.split("\0").filter((path) => path !== "" && existsSync(root + path))
  } catch {
    return walk("")
  }
}

/** Our own TypeScript; the guests' AssemblyScript has other conventions. */
const isOurs = (path: string): boolean => /^(?:packages\/[^/]+\/src|test|examples)\/.+\.tsx?$/.test(path) && !path.endsWith(".d.ts")

const sources = files()
  .filter(isOurs)
  .map((path): Source => ({ path, text: readFileSync(root + path, "utf8") }))

describe("the repository", () => {
  it("is looked at", () => {
    expect(sources.length).toBeGreaterThan(100)
    expect(sources.map(({ path }) => path)).toContain("test/tidy.test.ts")
  })

  for (const [name, rule] of Object.entries({ ...Tidy.rules, ...Rooms.roomRules, ...Faces.entryPointRules })) {
    it(name, () => expect(rule(sources)).toEqual([]))
  }

  it("has its rooms in the architecture", () => {
    const page = readFileSync(`${root}docs/ARCHITECTURE.md`, "utf8")
    const named = Object.values(rooms)
      .flatMap((ofPackage) => Object.keys(ofPackage))
      .filter((room) => room !== ".")
    expect(named.filter((room) => !page.includes(`\`${room}\``))).toEqual([])
  })

  it("is found by walking too", () => {
    const walked = new Set(walk("").filter(isOurs))
    expect(sources.map(({ path }) => path).filter((path) => !walked.has(path))).toEqual([])
  })
})

/** The adapters' sizes in docs/ARCHITECTURE.md, rounded to tens of lines, by package name. */
const toldLines = (): ReadonlyArray<readonly [name: string, lines: number]> => {
  const page = readFileSync(`${root}docs/ARCHITECTURE.md`, "utf8")
  return [...page.matchAll(/`(adapter-\w+)` has some (\d+) lines/g)].map(([, name = "", lines]) => [name, Number(lines)])
}

it("the architecture page states the size of each adapter", () => {
  const told = new Map(toldLines())
  const counted = Tidy.adapterLines(sources)
  expect([...told.keys()].toSorted()).toEqual([...counted.keys()].toSorted())
  for (const [name, lines] of counted) expect(Math.abs(lines - (told.get(name) ?? 0)), name).toBeLessThanOrEqual(20)
})

/** The number of violations of a rule in one made-up file. */
const breaches = (rule: Tidy.Rule, path: string, text: string): number => rule([{ path, text }]).length

const core = "packages/core/src"

describe("the rules detect", () => {
  it("an import against the layers, however it is written", () => {
    const inLayer = (layer: string, text: string, file = "a.ts") => breaches(Tidy.layersPointLeft, `${core}/${layer}/${file}`, text)
    for (const text of [
      'import { a } from "../edge/a.ts"',
      'import type { A } from "../services/a.ts"',
      'export * from "../services/a.ts"',
      'export type { A } from "../../src/edge/a.ts"',
      'const a = () => import("../services/a.ts")',
      'import "../services/a.ts"'
    ]) {
      expect(inLayer("ports", text), text).toBe(1)
      expect(inLayer("ports", text, "a.test.ts"), text).toBe(0)
    }
    expect(inLayer("services", 'import { a } from "../ports/a.ts"\nimport { b } from "./b.ts"\nimport { c } from "effect"')).toBe(0)
    expect(inLayer("ports", '// import { a } from "../edge/a.ts"\nconst text = "import \'../edge/a.ts\'"')).toBe(0)
  })

  it("that the contract takes more than types from the domain", () => {
    const inContract = (text: string) => breaches(Tidy.layersPointLeft, `${core}/contract/a.ts`, text)
    expect(inContract('import { a } from "../domain/a.ts"')).toBe(1)
    expect(inContract('import { a, type B } from "../domain/a.ts"')).toBe(1)
    expect(inContract('import "../domain/a.ts"')).toBe(1)
    expect(inContract('import type { A } from "../domain/a.ts"')).toBe(0)
    expect(inContract('import { type A } from "../domain/a.ts"')).toBe(0)
    expect(inContract('import type { A } from "../ports/a.ts"')).toBe(1)
  })

  it("an import from a room that a room may not import from", () => {
    const table = { vm: { "a/deep": [], a: ["a/deep"], b: ["a"], ".": ["b"] } }
    const said = (path: string, text: string) => Rooms.roomsLookOneWay(table)([{ path: `packages/vm/src/${path}`, text }])
    expect(said("b/x.ts", 'import { y } from "../a/y.ts"\nexport * from "../a/deep/y.ts"\nimport { z } from "./z.ts"')).toEqual([])
    expect(said("b/x.ts", 'import { y } from "@sibyl/core"')).toEqual([])
    for (const text of ['import { y } from "../b/y.ts"', 'import type { Y } from "../b/y.ts"', 'const y = import("../b/y.ts")']) {
      expect(said("a/x.ts", text), text).toEqual([expect.stringContaining("a must not look at b (../b/y.ts)")])
      expect(said("a/x.test.ts", text), text).toEqual([])
      expect(said("a/testdata/x.ts", text), text).toEqual([])
    }
    expect(said("a/deep/x.ts", 'import { y } from "../y.ts"')).toHaveLength(1)
    expect(said("index.ts", 'import { y } from "./a/y.ts"')).toHaveLength(1)
    expect(said("c/x.ts", "")).toEqual([expect.stringContaining("c is not among the rooms of vm")])
  })

  it("a package without rooms", () => {
    const said = (path: string) => Rooms.packagesHaveRooms({ vm: { ".": [] } })([{ path, text: "" }])
    expect(said("packages/vm/src/a/b.ts")).toEqual([])
    expect(said("packages/other/src/a.test.ts")).toEqual([])
    expect(said("packages/other/src/a.ts")).toEqual(["packages/other: has no rooms"])
  })

  it("a table of rooms with a cycle, or with entries that do not exist", () => {
    expect(Rooms.tableHasNoCycle({ vm: { a: [], b: ["a"], c: ["a", "b"] } })).toEqual([])
    expect(Rooms.tableHasNoCycle({ vm: { a: ["b"], b: ["a"] } })).toEqual([expect.stringContaining("a names b")])
    expect(Rooms.tableHasNoCycle({ vm: { a: ["a"] } })).toHaveLength(1)
    expect(Rooms.tableHasNoCycle({ vm: { a: [], b: ["elsewhere"] } })).toHaveLength(1)
    expect(Rooms.tableHasNoCycle({ vm: { "a/x": [], b: ["a"], "a/y": [] } })).toHaveLength(1)
    expect(Rooms.tableHasNoCycle({ vm: { a: [], "a/x": ["a"], "a/y": [] } })).toEqual([])
    const sources = [
      { path: "packages/vm/src/a/x.ts", text: "" },
      { path: "packages/vm/src/b/x.ts", text: 'import "../a/x.ts"' }
    ]
    expect(Rooms.tableIsAccurate({ vm: { a: [], b: ["a"] } })(sources)).toEqual([])
    expect(Rooms.tableIsAccurate({ vm: { a: ["b"], b: ["a"] } })(sources)).toEqual(["vm: a does not look at b"])
    expect(Rooms.tableIsAccurate({ vm: { a: [], b: ["a"], c: [] } })(sources)).toEqual(["vm: nothing lies in c"])
  })

  it("an entry point with a star export, a misnamed layer, and an internal import from outside", () => {
    const inPackage = (rule: Tidy.Rule, text: string) => breaches(rule, "packages/vm/src/a.ts", text)
    for (const text of ['export * from "./b.ts"', 'export * as b from "./b.ts"', 'export type * from "./b.ts"']) {
      expect(inPackage(Faces.exportsAreExplicit, text), text).toBe(1)
    }
    expect(inPackage(Faces.exportsAreExplicit, 'export { b } from "./b.ts"\nexport const text = "export * from b"')).toBe(0)
    for (const text of [
      "export const a = Layer.succeed(A, 1)",
      "export const a: Layer.Layer<A> = b",
      "export const a = (b: B): Layer.Layer<A> => c(b)",
      "export class A { static readonly live = Layer.effect(A, b) }",
      "export class A { static readonly of = (b: B): Layer.Layer<A> => Layer.succeed(A, b) }"
    ]) {
      expect(inPackage(Faces.layersAreNamedAsLayers, text), text).toBe(1)
      const named = text.replace(/const a\b/, "const layerA").replace(/readonly (?:live|of)\b/, "readonly layer")
      expect(inPackage(Faces.layersAreNamedAsLayers, named), named).toBe(0)
    }
    expect(inPackage(Faces.layersAreNamedAsLayers, "const a = Layer.succeed(A, 1)\nexport const b = 1")).toBe(0)
    for (const [name, inCode, inTestdata] of [
      ["layerA", 0, 1],
      ["layerTestA", 1, 0]
    ] as const) {
      const text = `export const ${name} = Layer.succeed(A, 1)`
      expect(inPackage(Faces.layersAreNamedAsLayers, text), name).toBe(inCode)
      expect(breaches(Faces.layersAreNamedAsLayers, "packages/vm/src/testdata/a.ts", text), name).toBe(inTestdata)
      expect(breaches(Faces.layersAreNamedAsLayers, "packages/vm/src/a.test.ts", text), name).toBe(0)
    }
    const internal = 'import { toHex } from "@sibyl/core/internal"'
    expect(breaches(Faces.internalStaysInside, "examples/a/b.ts", internal)).toBe(1)
    expect(breaches(Faces.internalStaysInside, "packages/vm/src/a.ts", internal)).toBe(0)
  })

  it("a room with too many files", () => {
    const crowd = (count: number, name: (at: number) => string) =>
      Rooms.roomsAreSmall({ vm: {} })(Array.from({ length: count }, (_, at) => ({ path: `packages/vm/src/a/${name(at)}`, text: "" })))
    expect(crowd(Rooms.maxFilesOfRoom, (at) => `x${at}.ts`)).toEqual([])
    expect(crowd(Rooms.maxFilesOfRoom + 1, (at) => `x${at}.ts`)).toHaveLength(1)
    expect(crowd(Rooms.maxFilesOfRoom + 1, (at) => `x${at}.test.ts`)).toEqual([])
    expect(crowd(Rooms.maxFilesOfRoom + 1, (at) => `b${at}/x.ts`)).toEqual([])
  })

  it("an import between packages that may not depend on each other", () => {
    const inPackage = (name: string, text: string, file = "a.ts") =>
      breaches(Tidy.packagesPointAtCore, `packages/${name}/src/${file}`, text)
    for (const name of ["core", "vm", "sql", "adapter-bun", "adapter-express", "devkit", "testing"]) {
      expect(inPackage(name, 'import { a } from "@sibyl/server"'), name).toBe(1)
      expect(inPackage(name, 'import { a } from "@sibyl/core"'), name).toBe(name === "core" ? 1 : 0)
    }
    expect(inPackage("server", 'import { a } from "@sibyl/vm/worker"')).toBe(0)
    expect(inPackage("server", 'import { a } from "@sibyl/testing"')).toBe(1)
    expect(inPackage("server", 'import { a } from "@sibyl/testing"', "a.test.ts")).toBe(0)
    expect(inPackage("vm", 'import { a } from "@sibyl/sql/a"', "a.test.ts")).toBe(0)
    expect(inPackage("vm", 'import { a } from "../../core/src/index.ts"', "a.test.ts")).toBe(1)
    expect(inPackage("vm", 'import { a } from "../a.ts"', "b/c.ts")).toBe(0)
  })

  it("a runtime's own module in core", () => {
    for (const specifier of ["node:fs", "bun", "bun:sqlite"]) {
      expect(breaches(Tidy.coreIsPortable, `${core}/edge/a.ts`, `import { a } from "${specifier}"`)).toBe(1)
      expect(breaches(Tidy.coreIsPortable, "packages/vm/src/a.ts", `import { a } from "${specifier}"`)).toBe(0)
    }
    expect(breaches(Tidy.coreIsPortable, `${core}/edge/a.ts`, 'import { a } from "bunny"')).toBe(0)
  })

  it("state in a module of core", () => {
    const inCore = (text: string, path = `${core}/domain/a.ts`) => breaches(Tidy.coreKeepsNoState, path, text)
    for (const text of [
      "let a = 1",
      "export let a = 1",
      "var a = 1",
      "class A { static met = false }",
      "const make = () => class { static met = false }",
      "const known = new Map()",
      "const known = { a: new WeakMap() }",
      "class A { static readonly known = new Set() }",
      "const form = /a/y",
      "const forms = [/a/gu]",
      'const a = GlobalValue.globalValue("a", () => [])'
    ]) {
      expect(inCore(text), text).toBe(1)
      expect(inCore(text, `${core}/domain/a.test.ts`), text).toBe(0)
      expect(inCore(text, "packages/vm/src/a.ts"), text).toBe(0)
    }
    for (const text of [
      "const a = 1",
      "const f = () => { let a = 1; return new Map([[a, /a/g]]) }",
      "class A { #known = new Map(); readonly form = /a/y }",
      "class A { static readonly layer = 1 }",
      "const known: ReadonlyMap<string, number> = new Map()",
      "const form = /a/u",
      'const a = GlobalValue.globalValue("a", () => FiberRef.unsafeMake(""))'
    ]) {
      expect(inCore(text), text).toBe(0)
    }
  })

  it("an import without its file extension", () => {
    const text = 'import { a } from "./a"\nimport { b } from "./b.js"\nimport c from "./c.json" with { type: "json" }'
    expect(breaches(Tidy.importsNameFiles, `${core}/a.ts`, text)).toBe(2)
  })

  it("a default export", () => {
    for (const text of ["export default 1", "export default function a() {}", "const a = 1\nexport default a"]) {
      expect(breaches(Tidy.noDefaultExports, "packages/vm/src/a.ts", text), text).toBe(1)
      expect(breaches(Tidy.noDefaultExports, "examples/a/vitest.config.ts", text), text).toBe(0)
    }
    expect(breaches(Tidy.noDefaultExports, "packages/vm/src/a.ts", 'export const a = "export default 1"')).toBe(0)
  })

  it("two files of core that export one name", () => {
    const exporting = (file: string, text: string) => ({ path: `${core}/${file}.ts`, text })
    const [one, other] = [exporting("a", "export interface A {}"), exporting("b/c", "export class A {}")]
    expect(Tidy.coreNamesAreUnique([one, other])).toEqual([`${other.path}: exports A, as ${one.path} does`])
    expect(Tidy.coreNamesAreUnique([one, exporting("b/c", "interface A {}\nexport class B {}")])).toEqual([])
    expect(Tidy.coreNamesAreUnique([one, exporting("a.test", other.text)])).toEqual([])
    const overloads = "export function a(of: 1): 1\nexport function a(of: 2): 2"
    expect(Tidy.coreNamesAreUnique([exporting("a", overloads)])).toEqual([])
  })

  it("a file without a doc comment", () => {
    for (const text of ["", "export {}", "// A file.\n", "/* A file. */\n", "/***/\n", "\n/** A file. */"]) {
      expect(breaches(Tidy.filesOpenWithDoc, "test/a.ts", text), text).toBe(1)
    }
    expect(breaches(Tidy.filesOpenWithDoc, "test/a.ts", "#!/usr/bin/env node\n/** A file. */\n")).toBe(0)
  })

  it("an export without a docstring", () => {
    const undocumented = (text: string) => breaches(Tidy.exportsHaveDocs, "packages/vm/src/a.ts", `/** A file. */\n${text}`)
    for (const text of ["const a = 1", "type A = 1", "interface A {}", "class A {}", "function a() {}", "const enum A {}"]) {
      expect(undocumented(`export ${text}`), text).toBe(1)
      expect(undocumented(`import { b } from "./b.ts"\nexport ${text}`), text).toBe(1)
      expect(undocumented(`// It is a.\nexport ${text}`), text).toBe(1)
      expect(undocumented(`/** It is a. */\nexport ${text}`), text).toBe(0)
      expect(undocumented(text), text).toBe(0)
    }
    expect(undocumented('export * from "./b.ts"\nconst a = 1\nexport { a }')).toBe(0)
  })

  it("a name without meaning", () => {
    for (const path of ["utils.ts", "a/helpers.ts", "a/common/b.ts", "Types.ts", "manager.test.ts"]) {
      expect(breaches(Tidy.filesHaveNames, `packages/vm/src/${path}`, ""), path).toBe(1)
    }
    expect(breaches(Tidy.filesHaveNames, "packages/vm/src/valueType.ts", "")).toBe(0)
  })

  it("a file that is too long, and an adapter that is too large", () => {
    const lines = (count: number) => "x\n".repeat(count)
    for (const [path, most] of [
      ["test/a.ts", Tidy.maxLines.source],
      ["test/a.test.ts", Tidy.maxLines.test]
    ] as const) {
      expect(breaches(Tidy.filesAreShort, path, lines(most))).toBe(0)
      expect(breaches(Tidy.filesAreShort, path, lines(most + 1))).toBe(1)
    }
    expect(breaches(Tidy.adaptersAreSmall, "packages/adapter-bun/src/index.ts", lines(99))).toBe(0)
    expect(breaches(Tidy.adaptersAreSmall, "packages/adapter-bun/src/index.ts", lines(100))).toBe(1)
    expect(breaches(Tidy.adaptersAreSmall, "packages/vm/src/index.ts", lines(100))).toBe(0)
    expect(breaches(Tidy.adaptersAreSmall, "packages/adapter-bun/src/index.test.ts", lines(200))).toBe(0)
    const six = ["a", "b", "c", "d", "e", "f"].map((name) => `packages/adapter-bun/src/${name}.ts`)
    const breachesOf = (count: number) => Tidy.adaptersAreSmall(six.map((path) => ({ path, text: lines(count) }))).length
    expect([breachesOf(87), breachesOf(88)]).toEqual([0, 1])
  })
})
