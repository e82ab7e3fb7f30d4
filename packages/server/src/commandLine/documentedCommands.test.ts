/** The command lines in the documents are ones that the command line takes, and the handbook lists every command. */
import { readFileSync } from "node:fs"
import { Either } from "effect"
import { describe, expect, it } from "vitest"
import { sibylTree } from "./commandLine.ts"
import type { CommandNode } from "./commandTree.ts"
import { checkWords } from "./commandWords.ts"

const tree = sibylTree(() => Promise.reject(new Error("nothing is served here")))
const textOf = (name: string): string => readFileSync(new URL(`../../../../${name}`, import.meta.url), "utf8")
const pages = [
  "README.md",
  "docs/OPERATING.md",
  "docs/PROGRAMS.md",
  "docs/BENCHMARKS.md",
  "docs/VERIFYING.md",
  "docs/RECORDINGS.md",
  "docs/SCALING.md"
]

/** The words of a line as a shell has them, its comment left out. */
const wordsOf = (line: string): ReadonlyArray<string> =>
  [...line.replace(/\s#\s.*$/, "").matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? "")

/** The command lines that stand on lines of their own in a page, as their words behind `sibyl`. */
const linesOf = (text: string): ReadonlyArray<ReadonlyArray<string>> =>
  [...text.matchAll(/^(?:npx )?sibyl (.+)$/gm)].map(([, line = ""]) => wordsOf(line))

/** Commands that a sentence names: what they ask for may be missing. */
const namedIn = (text: string): ReadonlyArray<ReadonlyArray<string>> =>
  [...text.matchAll(/`sibyl ([a-z][^`]*)`/g)].map(([, line = ""]) => [...wordsOf(line), "VALUE", "--help"])

describe.each(pages)("%s", (page) => {
  it("has only valid command lines", () => {
    const refused = linesOf(textOf(page)).flatMap((words) =>
      Either.match(checkWords(tree, words), {
        onLeft: ({ message }) => [message],
        onRight: () => []
      })
    )
    expect(refused).toEqual([])
  })

  it("names only existing commands and options", () => {
    const refused = namedIn(textOf(page)).flatMap((words) =>
      Either.match(checkWords(tree, words), {
        onLeft: ({ message }) => [message],
        onRight: () => []
      })
    )
    expect(refused).toEqual([])
  })
})

const leaves = (node: CommandNode): ReadonlyArray<string> =>
  node.below.size === 0 ? [node.path] : [...node.below.values()].flatMap(leaves)

/** The commands in the table of docs/OPERATING.md: its first column, with `GROUP one, two` for commands of a group. */
const tabled = (): ReadonlyArray<string> => {
  const [table = ""] = textOf("docs/OPERATING.md").split("## Configuration")
  return [...table.matchAll(/^\| (`.+?`) \|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`([^`]+)`/g)].flatMap(([, names = ""]) => {
      const [group = "", ...below] = names.split(/,? /)
      return below.length === 0 ? [`sibyl ${group}`] : below.map((name) => `sibyl ${group} ${name}`)
    })
  )
}

it("docs/OPERATING.md lists exactly the existing commands", () => {
  expect(tabled().toSorted()).toEqual(leaves(tree).toSorted())
})

it("an invalid line is detected", () => {
  expect(linesOf("npx sibyl key create PROJECT # a comment\n").map((words) => [...words])).toEqual([["key", "create", "PROJECT"]])
  expect(Either.isLeft(checkWords(tree, ["key", "make", "PROJECT"]))).toBe(true)
  expect(Either.isLeft(checkWords(tree, ["project", "update", "--limits", "VALUE", "--help"]))).toBe(true)
})
