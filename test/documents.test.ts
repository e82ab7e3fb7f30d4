/** Everything that the documents refer to exists: links, anchors, files of the repository, npm scripts. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

const root = fileURLToPath(new URL("..", import.meta.url))

const foldersOf = (folder: string): ReadonlyArray<string> => readdirSync(root + folder).map((name) => `${folder}/${name}`)

const documents = [
  "README.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  ...["docs", "docs/benchmarks"].flatMap(foldersOf).filter((path) => path.endsWith(".md")),
  ...["programs", ...foldersOf("packages"), ...foldersOf("examples")].map((folder) => `${folder}/README.md`)
].filter((path) => existsSync(root + path))

const textOf = (path: string): string => readFileSync(root + path, "utf8")

/** The anchors of a page's headings, as GitHub generates them. */
const anchorsOf = (path: string): ReadonlyArray<string> =>
  [...textOf(path).matchAll(/^#{1,6} (.+)$|<a id="([^"]+)">/gm)].map(
    ([, heading, id]) =>
      id ??
      (heading ?? "")
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, "")
        .trim()
        .replaceAll(/\s/g, "-")
  )

/** Links of a page to files in this repository, as written. */
const linksOf = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/\]\(([^()\s]+)\)/g)].map(([, link = ""]) => link).filter((link) => !/^[a-z]+:/.test(link))

/** What is wrong with a link of a page. */
const faultOfLink = (page: string, link: string): string | undefined => {
  const [file = "", anchor] = link.split("#")
  const target = file === "" ? page : normalize(join(dirname(page), file))
  if (!existsSync(root + target)) return `${page}: ${link} leads nowhere`
  return anchor === undefined || anchorsOf(target).includes(anchor) ? undefined : `${page}: ${link} has no such heading`
}

/** Files and folders of this repository that a page names in code, except build output. */
const filesOf = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/`((?:packages|docs|test|examples|bench)\/[\w./-]+)`/g)].map(([, path = ""]) => path)

const core = "packages/core/src"
/** Files of core as the architecture page names them: by layer, without their extension. */
const partsOfCore = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/`((?:contract|domain|ports|services|edge)\/[\w/]+)(?:\.ts)?`/g)].map(([, part = ""]) => part)

const scriptsOf = (manifest: string): ReadonlyArray<string> =>
  Object.keys((JSON.parse(textOf(manifest)) as { readonly scripts?: object }).scripts ?? {})

describe.each(documents)("%s", (page) => {
  const text = textOf(page)

  it("has no broken links", () => {
    expect(linksOf(text).flatMap((link) => faultOfLink(page, link) ?? [])).toEqual([])
  })

  it("names existing files", () => {
    expect(filesOf(text).filter((path) => !existsSync(root + path))).toEqual([])
    expect(partsOfCore(text).filter((part) => !["", ".ts"].some((end) => existsSync(`${root}${core}/${part}${end}`)))).toEqual([])
  })

  it("names existing npm scripts", () => {
    const scripts = [...text.matchAll(/npm run ([\w:-]+)(?: -w ([\w/-]+))?/g)]
    const unknown = scripts.filter(
      ([, name = "", folder]) => !scriptsOf(folder === undefined ? "package.json" : `${folder}/package.json`).includes(name)
    )
    expect(unknown.map(([command]) => command)).toEqual([])
  })
})

it("the pages are looked at", () => {
  expect(documents).toEqual(expect.arrayContaining(["README.md", "docs/ARCHITECTURE.md", "docs/DECISIONS.md"]))
  expect(partsOfCore(textOf("docs/ARCHITECTURE.md")).length).toBeGreaterThan(10)
  expect(faultOfLink("docs/DECISIONS.md", "#not-built-yet")).toBeUndefined()
  expect(faultOfLink("docs/DECISIONS.md", "#built")).toContain("no such heading")
  expect(faultOfLink("docs/DECISIONS.md", "NOTHING.md")).toContain("leads nowhere")
})
