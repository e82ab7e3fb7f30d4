/** What `verify` imports at run time stays small: files of the domain and noble, nothing from Effect or a runtime. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"

/** The run-time imports of a source file, without type imports. */
const importsOf = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^(?:import|export)\s(?!type\b)[\w*{},\s]*["']([^"']+)["']/gm)].map(([, name = ""]) => name)

it("finds imports as they are written", () => {
  const text = [
    'import { a,\n  type B } from "./a.ts"',
    'import type { C } from "./c.ts"',
    'export { d } from "./d.ts"',
    'import "e"',
    'export const f = "g"'
  ].join("\n")
  expect(importsOf(text)).toEqual(["./a.ts", "./d.ts", "e"])
})

it("reaches only the domain and noble", () => {
  const seen = new Set<string>()
  const outside = new Set<string>()
  const walk = (file: string): void => {
    if (seen.has(file)) return
    seen.add(file)
    for (const specifier of importsOf(readFileSync(fileURLToPath(file), "utf8"))) {
      if (specifier.startsWith(".")) walk(new URL(specifier, file).href)
      else outside.add(specifier)
    }
  }
  walk(new URL("../verify.ts", import.meta.url).href)
  expect([...outside].filter((specifier) => !specifier.startsWith("@noble/"))).toEqual([])
  expect([...seen].filter((file) => !/\/src\/(?:verify\.ts$|verify\/|domain\/)/.test(file))).toEqual([])
  expect(seen.size).toBeGreaterThan(10)
})
