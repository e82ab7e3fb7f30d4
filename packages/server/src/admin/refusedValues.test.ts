/** Values that an operator may not give: each refusal names the option or argument, and its rule in the units of the command line. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { runSibyl } from "../testdata/runSibyl.ts"

let folder = ""
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sibyl-refused-"))
  // Keys are handed out only of a database that is there.
  expect(await runSibyl(["org", "create", "acme", "--data", folder], { cwd: folder })).toMatchObject({ code: 0 })
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const project = "00000000-0000-4000-8000-000000000000"
const far = "99999999d"

test.each<[string, RegExp, ReadonlyArray<string>]>([
  ["--expires", /in the future and before the year 275760, not "99999999d"/, ["key", "create", project, "--expires", far]],
  ["--overlap", /such as 500ms, .*, and at most 366d, not "99999999d"/, ["key", "rotate", "abcdefabcdef", "--overlap", far]],
  ["--org", /1 to 63 of a-z, .*, not "A B"/, ["project", "create", "--org", "A B"]],
  ["<slug>", /1 to 63 of a-z, .*, not "A B"/, ["org", "create", "A B"]],
  ["<credits>", /and at least 1, not "0"/, ["credits", "grant", project, "0"]]
])("%s", async (field, rule, words) => {
  const { code, stderr } = await runSibyl([...words, "--data", folder, "--json"], { cwd: folder })
  expect(code).toBe(2)
  expect(JSON.parse(stderr)).toMatchObject({ _tag: "UsageError", field, message: expect.stringMatching(rule) })
})
