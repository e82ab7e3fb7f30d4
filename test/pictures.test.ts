/** The diagrams in docs/ARCHITECTURE.md agree with the code. */
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { faultsOfPicture, type Manifest, packagePicture, reachedFrom, readPicture } from "./tidy/pictures.ts"
import type { Source } from "./tidy/sourceFile.ts"

const root = fileURLToPath(new URL("..", import.meta.url))

const textOf = (path: string): string => readFileSync(root + path, "utf8")

const [packages = "", request = ""] = [...textOf("docs/ARCHITECTURE.md").matchAll(/^```mermaid\n([\s\S]*?)\n```$/gm)].map(
  ([, picture = ""]) => picture
)

const sources: ReadonlyArray<Source> = readdirSync(`${root}packages`)
  .flatMap((name) => readdirSync(`${root}packages/${name}/src`, { recursive: true }).map((file) => `packages/${name}/src/${String(file)}`))
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => path.endsWith(".ts") && !/\.test\.ts$|\.d\.ts$|\/testdata\//.test(path))
  .map((path) => ({ path, text: textOf(path) }))

it("the diagram of the packages has the dependencies of their manifests", () => {
  const folders = [...readdirSync(`${root}packages`).map((name) => `packages/${name}`), "programs"]
  const manifests = folders.map((folder) => JSON.parse(textOf(`${folder}/package.json`)) as Manifest)
  expect(packages).toBe(packagePicture(manifests))
})

it("each step of a request is an export, and uses the step that its arrow points to", () => {
  expect(faultsOfPicture(request, sources)).toEqual([])
})

it("REST, WebSocket messages and the ticks of feeds lead to the same execution", () => {
  const picture = readPicture(request)
  for (const start of ["dispatch", "Connection", "makeTimerWheel"]) {
    expect([...reachedFrom(picture, start)]).toEqual(expect.arrayContaining(["Execution", "Ledger", "ProgramRuntime", "Signer"]))
  }
})

it("a wrong diagram is refused", () => {
  const file = (path: string, text: string): Source => ({ path: `packages/vm/src/${path}.ts`, text })
  const code = [
    file("a", 'import { b } from "./b.ts"\nimport type { T } from "./b.ts"\nexport const a = b'),
    file("b", "export interface T {}\nexport const b = 1"),
    { path: "packages/sql/src/c.ts", text: 'import { a, type T } from "@sibyl/vm"\nexport const c = a' }
  ]
  const steps = ["flowchart TD", '  a["a<br/>vm/a"]', '  b["b<br/>vm/b"]', '  c["c<br/>sql/c"]']
  const faults = (...lines: ReadonlyArray<string>) => faultsOfPicture([...steps, ...lines].join("\n"), code)
  expect(faults("  a --> b", "  c --> a", "  a -.->|T| c", "  b -.->|T| a")).toEqual([])
  expect(faults("  b --> a")).toEqual(["b does not use a"])
  expect(faults("  a -.->|U| b")).toEqual(["a and b do not both know U"])
  expect(faults("  a --> d")).toEqual(["a to d: no such step"])
  expect(faults('  d["d<br/>vm/b"]')).toEqual(["d: packages/vm/src/b.ts does not export d"])
  expect(faults("  a ==> b")).toEqual(["has lines that are neither a step nor an arrow"])
})
