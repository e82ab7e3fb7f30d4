/** The page of errors has every exit code that the virtual machine, the tally's refusals and the command give. */
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { commandExits, runExits } from "../packages/core/src/edge/docs/endingFacts.ts"
import { sibylTree } from "../packages/server/src/commandLine/commandLine.ts"
import { exitCodes } from "../packages/server/src/output/failure.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const textOf = (path: string): string => readFileSync(root + path, "utf8")

/** Exit codes as sources write them: refusals, endings, abnormal exits, and constants by that name. */
const codesIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/refused\((\d+),|return (\d+)\n|exitCode: (\d+)|(?:exec|tally|Code) ?[:=] (\d+)\b|: 255\b/g)].map(
    ([, ...groups]) => groups.find((group) => group !== undefined) ?? "255"
  )

const pass = "packages/vm/src/pass"
const sources = [
  ...readdirSync(`${root}${pass}`)
    .filter((name) => name.endsWith(".ts") && !name.includes(".test."))
    .map((name) => `${pass}/${name}`),
  "packages/core/src/domain/protocol/tallyRefusal.ts",
  "packages/core/src/domain/protocol/dataResultId.ts"
]

it("of a run, as the sources give them", () => {
  const given = [...new Set(sources.flatMap((path) => codesIn(textOf(path))))]
  expect(given).toEqual(expect.arrayContaining(["1", "2", "4", "250", "251", "252", "253", "254", "255"]))
  expect(given.filter((code) => !runExits.some((exit) => exit.code === code))).toEqual([])
})

it("of the command, as it and the operator's page have them", () => {
  const ours = commandExits.map(({ code }) => code)
  expect(Object.values(exitCodes).map(String)).toEqual(ours)
  const [, rows = ""] = /\| exit code \| meaning \|\n.*\n((?:\|.*\n)+)/.exec(textOf("docs/OPERATING.md")) ?? []
  expect([...rows.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => code)).toEqual(ours)
})

it("names only commands that there are", () => {
  const tree = sibylTree(() => Promise.reject(new Error("nothing is served here")))
  const named = [...runExits, ...commandExits].flatMap(({ cause, cure }) =>
    [...`${cause}; ${cure}`.matchAll(/\bsibyl ([a-z]\S*) ?(\S*)/g)].map(([, command = "", below = ""]) => [command, below] as const)
  )
  expect(named.length).toBeGreaterThan(3)
  const unknown = named.filter(([command, below]) => {
    const node = tree.below.get(command)
    return node === undefined || (node.below.size > 0 && !node.below.has(below))
  })
  expect(unknown).toEqual([])
})
