/** The bundled command and worker: what is in them, and under which licences. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

const root = fileURLToPath(new URL("..", import.meta.url))

describe("bundles", () => {
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
