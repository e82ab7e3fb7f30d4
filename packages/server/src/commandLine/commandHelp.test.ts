/** Help, examples and completion of every command, checked against the commands themselves. */
import { execFileSync, spawnSync } from "node:child_process"
import { Either } from "effect"
import { describe, expect, test } from "vitest"
import { examplesOf } from "./commandExamples.ts"
import { commandHelp } from "./commandHelp.ts"
import { sibylTree } from "./commandLine.ts"
import type { CommandNode } from "./commandTree.ts"
import { checkWords } from "./commandWords.ts"
import { completionScript } from "./completions.ts"
import { paintWith } from "../output/paint.ts"

const tree = sibylTree(() => Promise.reject(new Error("nothing is served here")))

const leaves = (node: CommandNode): ReadonlyArray<CommandNode> =>
  node.below.size === 0 ? [node] : [...node.below.values()].flatMap(leaves)

/** The words of a line as a shell splits it, without quotes and without variables before the command. */
const wordsOf = (line: string): ReadonlyArray<string> =>
  [...line.replace(/^(?:[A-Z_]+=\S* )*/, "").matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? "")

describe.each(leaves(tree).map((node) => [node.path, node] as const))("%s", (path, node) => {
  const help = commandHelp(node, paintWith(false))

  test("gives purpose, usage, and the meaning of each part; no text of the library", () => {
    expect(help[0]).toMatch(new RegExp(`^${path}: .{10,}`))
    expect(help.join("\n")).not.toMatch(/user-defined|This setting|This option|true or false value|USAGE|\btext\.\.\./)
    const meanings = node.meanings()
    for (const { name } of [...node.options.values(), ...node.args]) {
      expect(meanings.get(name)?.length ?? 0, `the meaning of ${name}`).toBeGreaterThan(5)
      expect(
        help.some((line) => line.trim().startsWith(name)),
        `${name} in the help`
      ).toBe(true)
    }
  })

  test("has examples that parse as this command", () => {
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

/** What a shell prints for a test script after the completion script. */
const shellOutput = (shell: "bash" | "zsh" | "fish", script: string): ReadonlyArray<string> => {
  const options = { bash: ["--norc"], zsh: ["-f"], fish: ["--no-config"] }[shell]
  const text = `${completionScript(tree, shell)}\n${script}`
  return execFileSync(shell, [...options, "-c", text], { encoding: "utf8" })
    .split("\n")
    .filter((word) => word !== "")
}

/** The completions of the last word in bash, or in zsh with its bash functions. */
const offeredBy =
  (shell: "bash" | "zsh") =>
  (...words: ReadonlyArray<string>): ReadonlyArray<string> => {
    const line = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}; _sibyl`
    const own = shell === "zsh" ? "emulate sh" : ""
    // bash's `compgen` leaves out words with another beginning; zsh itself does that later, so the test does.
    return shellOutput(shell, `${own}\n${line}; printf '%s\\n' "\${COMPREPLY[@]}"`).filter(
      (word) => shell === "bash" || word.startsWith(words.at(-1) ?? "")
    )
  }

const isThere = (shell: string): boolean => spawnSync(shell, ["--version"]).error === undefined

// zsh and fish are tested where they are installed.
test.each((["bash", "zsh"] as const).filter(isThere))("%s completes commands, options, and the values of an option", (shell) => {
  const offered = offeredBy(shell)
  expect(offered("sibyl", "pro")).toEqual(["project", "program", "proxy", "profile"])
  expect(offered("sibyl", "key", "r")).toEqual(["rotate", "revoke"])
  expect(offered("sibyl", "key", "create", "--e")).toEqual(["--expires"])
  expect(offered("sibyl", "key", "create", "0197", "--name", "x", "--d")).toEqual(["--data", "--database"])
  expect(offered("sibyl", "feed", "--mode", "")).toEqual(["FIXED", "SEQUENTIAL", "PARALLEL", "all"])
  if (shell === "bash") expect(offered("sibyl", "feed", "--mode", "=", "F")).toEqual(["FIXED"])
  if (shell === "bash") expect(offered("sibyl", "feed", "--mode", "=")).toHaveLength(4)
  expect(offered("sibyl", "feed", "--mode=F")).toEqual(["--mode=FIXED"])
  expect(offered("sibyl", "serve", "--profile", "p")).toEqual(["public-network"])
  // The value is a file: no completions, so that the shell completes file names.
  expect(offered("sibyl", "run", "--record", "")).toEqual([])
})

test.skipIf(!isThere("fish"))("fish completes the same (where it is installed)", () => {
  const offered = (line: string) => shellOutput("fish", `complete -C '${line}'`).map((word) => word.split("\t")[0])
  expect(offered("sibyl pro")).toEqual(["profile", "program", "project", "proxy"])
  expect(offered("sibyl key r")).toEqual(["revoke", "rotate"])
  expect(offered("sibyl key create --e")).toEqual(["--expires"])
  expect(offered("sibyl key create 0197 --name x --d")).toEqual(["--data", "--database"])
  expect(offered("sibyl feed --mode=F")).toEqual(["--mode=FIXED"])
  expect(offered("sibyl serve --profile p")).toEqual(["public-network"])
  expect(offered("sibyl --log-level d")).toEqual(["debug"])
  expect(offered("sibyl --log-level debug key r")).toEqual(["revoke", "rotate"])
  // Not those of `sibyl run` and `sibyl program name`, which have the same prefix.
  expect(offered("sibyl runs --a")).toEqual(["--amount"])
  expect(offered("sibyl program names --p")).toEqual([])
})
