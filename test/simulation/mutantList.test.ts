/** Each mutant still has its guard in the sources, exactly once, and the page says who caught it. */
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { mutated } from "../../scripts/simulation/bundleSimulation.mjs"
import { mutants } from "../../scripts/simulation/mutantList.mjs"

const root = fileURLToPath(new URL("../..", import.meta.url))
const page = readFileSync(`${root}docs/SIMULATION.md`, "utf8")

/** The rows of the table: a guard, and who caught it. */
const rows = new Map(
  [...page.matchAll(/^\| `([a-z-]+)` \|.*\| ([^|]+) \|$/gm)].map(([, id = "", caughtBy = ""]) => [id, caughtBy] as const)
)

it("has thirty guards at least, each under a name of its own", () => {
  expect(new Set(mutants.map(({ id }) => id)).size).toBe(mutants.length)
  expect(mutants.length).toBeGreaterThanOrEqual(30)
})

it.each(mutants)("$id: $guards", (mutant) => {
  const source = readFileSync(root + mutant.file, "utf8")
  expect(mutated(source, mutant)).not.toBe(source)
  expect((mutant.tests ?? []).filter((test) => !existsSync(root + test))).toEqual([])
  expect(rows.has(mutant.id), "npm run mutants").toBe(true)
})

it("the page names no other guards, and nearly all are caught", () => {
  expect([...rows.keys()].toSorted()).toEqual(mutants.map(({ id }) => id).toSorted())
  const caught = [...rows.values()].filter((caughtBy) => caughtBy !== "nobody").length
  expect(caught / mutants.length).toBeGreaterThanOrEqual(0.95)
})
