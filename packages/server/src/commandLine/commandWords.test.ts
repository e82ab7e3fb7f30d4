/** A group of commands whose command is missing: what is said names the commands, not an option that they have; and words that are none. */
import { tmpdir } from "node:os"
import { expect, test } from "vitest"
import { runSibyl } from "../testdata/runSibyl.ts"

test.each<[ReadonlyArray<string>, string]>([
  [["org", "--json"], "sibyl org wants a command before --json; there are: create, list, show"],
  [["org", "--data=x", "list"], "sibyl org wants a command before --data; there are: create, list, show"],
  [["org", ""], "sibyl org wants a command, not an empty word; there are: create, list, show"],
  [["org", "--wizard"], "sibyl org has no option --wizard"]
])("%j", async (words, message) => {
  expect(await runSibyl(words, { cwd: tmpdir() })).toEqual({
    code: 2,
    stdout: "",
    stderr: words.includes("--json") ? `${JSON.stringify({ _tag: "UsageError", error: message, message })}\n` : `sibyl: ${message}\n`
  })
})

test("of the command line itself", async () => {
  const said = await runSibyl(["--json"], { cwd: tmpdir() })
  expect(said).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("sibyl wants a command before --json; there are: serve, cluster, ")
  })
})

test.each<[ReadonlyArray<string>, number, string]>([
  [["feed", "--period", "1ms"], 2, '--period must be a whole number without a unit (--help says in which it is), not "1ms"'],
  [["test", "/no/such/folder"], 1, "there is no folder /no/such/folder"]
])("%j is told what is wrong with it", async (words, code, message) => {
  expect(await runSibyl(words, { cwd: tmpdir() })).toEqual({ code, stdout: "", stderr: `sibyl: ${message}\n` })
})
