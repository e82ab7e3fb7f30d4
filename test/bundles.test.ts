/** The bundled command and worker: what is in them, and under which licences. */
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

const root = fileURLToPath(new URL("..", import.meta.url))

const ofServer = `${root}packages/server/dist/bundle/`

/** The files that are loaded with one, whether they are needed or not. */
const loadedWith = (name: string, known = new Set<string>()): ReadonlySet<string> => {
  if (known.has(name)) return known
  known.add(name)
  const text = readFileSync(ofServer + name, "utf8")
  for (const [, next = ""] of text.matchAll(/(?:^|[;}\n])(?:import|export)(?:[^;"'()]*?from)?"\.\/([^"]+)"/g)) loadedWith(next, known)
  return known
}

describe("bundles", () => {
  it("of the command load NATS only where it is needed", () => {
    const isOfNats = (name: string) => readFileSync(ofServer + name, "utf8").includes("NoRespondersError")
    const served = readdirSync(ofServer).filter((name) => /^(?:main\.node|main\.nodeEdge|serve-\w+|superviseEdges-\w+)\.js$/.test(name))
    const atStart = served.flatMap((name) => [...loadedWith(name)])
    expect(served.length).toBeGreaterThanOrEqual(4)
    expect(atStart.filter(isOfNats)).toEqual([])
    const others = readdirSync(ofServer).filter((name) => name.endsWith(".js"))
    expect(others.some(isOfNats)).toBe(true)
  })

  it("of the worker has no Effect in it: every thread would load it", () => {
    const notices = readFileSync(`${root}packages/vm/dist/bundle/LICENSES.txt`, "utf8")
    expect([...notices.matchAll(/^(\S+) \d+\.\d+\.\d+, /gm)].map(([, name]) => name)).toEqual([
      "@noble/curves",
      "@noble/hashes",
      "hash-wasm",
      "lru-cache"
    ])
  })

  it("of SQLite's writer has no package in it", () => {
    expect(readFileSync(`${root}packages/sql/dist/bundle/LICENSES.txt`, "utf8")).toBe("")
    expect(readFileSync(`${root}packages/sql/dist/bundle/writer.js`, "utf8").length).toBeLessThan(60_000)
  })

  it("of the command name each package in it, with its licence", () => {
    const notices = readFileSync(`${root}packages/server/dist/bundle/LICENSES.txt`, "utf8")
    for (const name of ["effect", "@effect/platform", "@effect/cli", "@nats-io/transport-node", "pg", "yaml"]) {
      const { version } = JSON.parse(readFileSync(`${root}node_modules/${name}/package.json`, "utf8"))
      const at = notices.indexOf(`${name} ${version}, `)
      expect(at, name).toBeGreaterThanOrEqual(0)
      expect(notices.slice(at, at + 1_000), name).toMatch(/copyright/i)
    }
  })
})
