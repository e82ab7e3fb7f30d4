/** Help, examples and completion of every command, held against the commands themselves. */
import { execFileSync } from "node:child_process"
import { Either } from "effect"
import { describe, expect, test } from "vitest"
import { examplesOf } from "./commandExamples.ts"
import { commandHelp } from "./commandHelp.ts"
import { sibylTree } from "./commandLine.ts"
import type { CommandNode } from "./commandTree.ts"
import { checkWords } from "./commandWords.ts"
import { completionScript } from "./completions.ts"
import { paintWith } from "./output/paint.ts"

const tree = sibylTree(() => Promise.reject(new Error("nothing is served here")))

const leaves = (node: CommandNode): ReadonlyArray<CommandNode> =>
  node.below.size === 0 ? [node] : [...node.below.values()].flatMap(leaves)

/** The words of a line as a shell has them: variables before the command left out, quotes gone. */
const wordsOf = (line: string): ReadonlyArray<string> =>
  [...line.replace(/^(?:[A-Z_]+=\S* )*/, "").matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? "")

describe.each(leaves(tree).map((node) => [node.path, node] as const))("%s", (path, node) => {
  const help = commandHelp(node, paintWith(false))

  test("says what it does, how it is written, and what each part means; nothing of the library's", () => {
    expect(help[0]).toMatch(new RegExp(`^${path}: .{10,}`))
    expect(help.join("\n")).not.toMatch(/user-defined|This setting|This option|true or false value|USAGE|\btext\.\.\./)
    const meanings = node.meanings()
    for (const { name } of [...node.options.values(), ...node.args]) {
      expect(meanings.get(name)?.length ?? 0, `the meaning of ${name}`).toBeGreaterThan(5)
      expect(help.some((line) => line.trim().startsWith(name)), `${name} in the help`).toBe(true)
    }
  })

  test("has examples, and they mean this command", () => {
    const examples = examplesOf(path)
    expect(examples.length).toBeGreaterThan(0)
    for (const line of examples) {
      const [first, ...words] = wordsOf(line)
      expect(first).toBe("sibyl")
      expect(Either.getOrThrow(checkWords(tree, words)).node.path).toBe(path)
      expect(help).toContain(`  ${line}`)
    }
  })
})

/** What bash would offer for the last of these words. */
const offered = (...words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const line = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}; _sibyl`
  const script = `${completionScript(tree, "bash")}\n${line}; printf '%s\\n' "\${COMPREPLY[@]}"`
  return execFileSync("bash", ["-c", script], { encoding: "utf8" }).split("\n").filter((word) => word !== "")
}

test("bash completes commands, options, and the words that an option takes", () => {
  expect(offered("sibyl", "pro")).toEqual(["project", "program", "proxy"])
  expect(offered("sibyl", "key", "r")).toEqual(["rotate", "revoke"])
  expect(offered("sibyl", "key", "create", "--e")).toEqual(["--expires"])
  expect(offered("sibyl", "key", "create", "0197", "--name", "x", "--d")).toEqual(["--data", "--database"])
  expect(offered("sibyl", "feed", "--mode", "")).toEqual(["FIXED", "SEQUENTIAL", "PARALLEL", "all"])
  // A file: nothing of ours, so that the shell goes on with names.
  expect(offered("sibyl", "run", "--record", "")).toEqual([])
})
