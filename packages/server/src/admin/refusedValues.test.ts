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
const create = ["project", "create", "--org", "acme"]
const proxy = "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"

test.each<[string, RegExp, ReadonlyArray<string>]>([
  ["--expires", /in the future and before the year 275760, not "99999999d"/, ["key", "create", project, "--expires", far]],
  ["--overlap", /such as 500ms, .*, and at most 366d, not "99999999d"/, ["key", "rotate", "abcdefabcdef", "--overlap", far]],
  ["--org", /1 to 63 of a-z, .*, not "A B"/, ["project", "create", "--org", "A B"]],
  ["<slug>", /1 to 63 of a-z, .*, not "A B"/, ["org", "create", "A B"]],
  ["--exec-gas", /^--exec-gas must be an integer from 1 to \d+$/, [...create, "--exec-gas", "0"]],
  ["--tally-gas", /^--tally-gas must be an integer from 1 to \d+$/, [...create, "--tally-gas", "9".repeat(25)]],
  ["--usage-limit", /a period of 1s to 366d, .*, not "500\/999ms"/, [...create, "--usage-limit", "500/999ms"]],
  [
    "--usage-limit",
    /^the credits of the usage limit \(--usage-limit\) must be 0 or at least 351, not 1: /,
    [...create, "--usage-limit", "1/1h"]
  ],
  ["--limit urls", /^--limit urls is not a limit of a project; there are: /, [...create, "--limit", "urls=1"]],
  ["--limit hostCalls", /^--limit hostCalls must be an integer from /, [...create, "--limit", "hostCalls=9999999999"]],
  ["--allow-host", /a host such as api.example.com.*, not "a b"/, [...create, "--allow-host", "c", "--allow-host", "a b"]],
  ["--name", /^--name must be 1 to 100 characters/, [...create, "--name", " a"]],
  ["--name", /^--name must be 1 to 100 characters/, ["org", "create", "other", "--name", ""]],
  ["--name", /^--name must be 1 to 100 characters/, ["proxy", "add", proxy, "--name", "", "--fee", "1"]],
  ["--fee", /^--fee must be 0 to \d+$/, ["proxy", "add", proxy, "--name", "a", "--fee", "9".repeat(40)]],
  ["--in", /and at most 36600d, not "99999999d"/, ["signing-key", "activate", "--in", far]],
  ["--overlap", /and at most 36600d, not "99999999d"/, ["signing-key", "activate", "--overlap", far]],
  ["<key>", /a public key: 66 hex characters, .*, not "zz"/, ["signing-key", "retire", "zz"]],
  ["--key", /a public key: 66 hex characters, .*, not "05/, ["signing-key", "export", "file", "--key", `05${"5".repeat(64)}`]],
  ["<credits>", /and at least 1, not "0"/, ["credits", "grant", project, "0"]]
])("%s", async (field, rule, words) => {
  const { code, stderr } = await runSibyl([...words, "--data", folder, "--json"], { cwd: folder })
  expect(code).toBe(2)
  expect(JSON.parse(stderr)).toMatchObject({ _tag: "UsageError", field, message: expect.stringMatching(rule) })
})

test("--in that is too soon for other servers, once a key is announced", async () => {
  const activate = () => runSibyl(["signing-key", "activate", "--in", "1s", "--data", folder, "--json"], { cwd: folder })
  expect(await activate()).toMatchObject({ code: 1, stderr: expect.stringContaining("no key is announced") })
  expect(await runSibyl(["signing-key", "announce", "--data", folder], { cwd: folder })).toMatchObject({ code: 0 })
  const { code, stderr } = await activate()
  expect(code).toBe(2)
  const message = '--in must be 30s or more, so that every server knows of it, not "1s"'
  expect(JSON.parse(stderr)).toMatchObject({ _tag: "UsageError", field: "--in", message })
})
