/** The command line as people and scripts use it: one line or one JSON document, the right exit code, no stack trace. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { askSibyl, runSibyl, spawnSibyl } from "../testdata/runSibyl.ts"
import { plainEnvironment, sibylProgram } from "../testdata/startedServer.ts"

let folder: string
let projectId: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sibyl-cli-"))
  const made = await askSibyl(["project", "create", "--org", "acme"], { cwd: folder })
  projectId = String((made as { readonly projectId: unknown }).projectId)
  await mkdir(join(folder, "empty"))
  await writeFile(join(folder, "broken.json"), "{")
  await writeFile(join(folder, "text.wasm"), "not a module")
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const noProject = "00000000-0000-4000-8000-000000000000"

const publicId = "3f9c2a7b10de"
/** Has the form of a key, except for its checksum. */
const wholeKey = `sibyl_local_${publicId}_${"5".repeat(56)}`

interface Refusal {
  readonly args: ReadonlyArray<string>
  readonly code: 1 | 2
  readonly tag: string
  readonly message: string | RegExp
  readonly env?: Readonly<Record<string, string>>
}

const refusals: Readonly<Record<string, Refusal>> = {
  "an unknown command": {
    args: ["projct", "list"],
    code: 2,
    tag: "UsageError",
    message: "sibyl has no command projct; did you mean project?"
  },
  "an unknown option": {
    args: ["project", "list", "--orgg", "acme"],
    code: 2,
    tag: "UsageError",
    message: "sibyl project list has no option --orgg; did you mean --org?"
  },
  "a place to restore to that would be the name of a file, with its password": {
    args: ["restore", "any.backup", "--to", "posgres://user:secret@host/db"],
    code: 2,
    tag: "UsageError",
    message: "--to must be sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/NAME"
  },
  "a missing argument": {
    args: ["key", "list"],
    code: 2,
    tag: "UsageError",
    message: "<project> is missing; usage: sibyl key list [options] <project>"
  },
  "an amount that is none": {
    args: ["credits", "grant", noProject, "ten"],
    code: 2,
    tag: "UsageError",
    message: '<credits> must be a whole number such as 1000000 or 1,000,000, and at least 1, not "ten"'
  },
  "a setting of a project against its rule": {
    args: ["project", "create", "--org", "acme", "--limit", "execWallclockMs=5"],
    code: 2,
    tag: "UsageError",
    message: /^--limit execWallclockMs .*there are: execWallClockMs, /
  },
  "a number that is none": {
    args: ["runs", noProject, "--amount", "many"],
    code: 2,
    tag: "UsageError",
    message: '--amount must be a whole number, not "many"'
  },
  "a word that is none of the few": {
    args: ["feed", "--mode=SOMETIMES"],
    code: 2,
    tag: "UsageError",
    message: '--mode must be FIXED, SEQUENTIAL, PARALLEL or all, not "SOMETIMES"'
  },
  "an option twice": {
    args: ["key", "create", noProject, "--name", "a", "--name=b"],
    code: 2,
    tag: "UsageError",
    message: "--name is given twice"
  },
  "an empty value of an option that may be repeated": {
    args: ["project", "create", "--org", "acme", "--allow", ""],
    code: 2,
    tag: "UsageError",
    message: "--allow wants a value, not an empty one"
  },
  "an empty value behind =": {
    args: ["project", "create", "--org", "acme", "--exec-gas="],
    code: 2,
    tag: "UsageError",
    message: '--exec-gas must be a whole number such as 1000000 or 1,000,000, not ""'
  },
  "an empty argument": {
    args: ["credits", "grant", "", "5"],
    code: 2,
    tag: "UsageError",
    message: "<project> is empty; usage: sibyl credits grant [options] <project> <credits>"
  },
  "one limit twice": {
    args: ["project", "create", "--org", "acme", "--limit", "memoryPages=1", "--limit=memoryPages=2"],
    code: 2,
    tag: "UsageError",
    message: "--limit memoryPages is given twice"
  },
  "one setting twice": {
    args: ["config", "--set", "port=1", "--set", "port=2"],
    code: 2,
    tag: "UsageError",
    message: "--set port is given twice"
  },
  "a setting by its flag and by its name": {
    args: ["config", "--metrics", "open", "--set", "metrics.access=off"],
    code: 2,
    tag: "InvalidConfiguration",
    message: "--metrics and --set metrics.access are given both; they are one setting"
  },
  "a setting without a value": {
    args: ["config", "--set", "port"],
    code: 2,
    tag: "InvalidConfiguration",
    message: "--set must be NAME=VALUE"
  },
  "a number that is too long": {
    args: ["runs", noProject, "--before", "99999999999999999999"],
    code: 2,
    tag: "UsageError",
    message: '--before must be a whole number of at most 15 digits, not "99999999999999999999"'
  },
  "a check of a restoration to a file": {
    args: ["restore", "backup", "--check", "--to", "sqlite:there"],
    code: 2,
    tag: "UsageError",
    message: "--check takes no --to sqlite:PATH: it restores into a temporary folder, below TMPDIR"
  },
  "a flag with a value": {
    args: ["runs", "--json=no", noProject],
    code: 2,
    tag: "UsageError",
    message: "--json takes no value"
  },
  "live prices without a demonstration": {
    args: ["serve", "--live"],
    code: 2,
    tag: "UsageError",
    message: "--live must be given with --demo"
  },
  "entries before none": {
    args: ["credits", "journal", noProject, "--before", "0"],
    code: 2,
    tag: "UsageError",
    message: '--before must be 1 or more, not "0"'
  },
  "the secret of a key that is not of this database": {
    args: ["signing-key", "export", "key", "--key", `02${"5A".repeat(32)}`],
    code: 1,
    tag: "CommandFailed",
    message: `02${"5a".repeat(32)} is no signing key of this database`
  },
  "an argument too many, which is a key": {
    args: ["key", "revoke", publicId, wholeKey],
    code: 2,
    tag: "UsageError",
    message: `sibyl key revoke takes no argument "sibyl_local_${publicId}_<secret>"; usage: sibyl key revoke [options] <key>`
  },
  "a whole key that was never issued": {
    args: ["key", "revoke", wholeKey],
    code: 2,
    tag: "UsageError",
    message: "<key> must be a key's public id: 12 hex characters, as sibyl key list shows it"
  },
  "a secret in the place of a key's id": {
    args: ["key", "rotate", "5".repeat(56)],
    code: 2,
    tag: "UsageError",
    message: "<key> must be a key's public id: 12 hex characters, as sibyl key list shows it"
  },
  "a wizard": {
    args: ["--wizard"],
    code: 2,
    tag: "UsageError",
    message: "sibyl has no option --wizard"
  },
  "an unknown setting in the environment": {
    args: ["project", "list"],
    code: 2,
    tag: "InvalidConfiguration",
    message: "SIBYL_POTR is not a setting; did you mean SIBYL_PORT?",
    env: { SIBYL_POTR: "1" }
  },
  "a configuration file that is not JSON": {
    args: ["project", "list", "--config", "broken.json"],
    code: 2,
    tag: "InvalidConfiguration",
    message: /^broken\.json must be JSON: /
  },
  "a configuration file that is not there": {
    args: ["config"],
    code: 2,
    tag: "InvalidConfiguration",
    message: "SIBYL_CONFIG: there is no file none.json",
    env: { SIBYL_CONFIG: "none.json" }
  },
  "a project that does not exist": {
    args: ["key", "create", noProject],
    code: 1,
    tag: "ProjectNotFound",
    message: `there is no project ${noProject}`
  },
  "a file that is not a module": {
    args: ["program", "deploy", "text.wasm"],
    code: 1,
    tag: "CommandFailed",
    message: /^text\.wasm cannot run as an Oracle Program: /
  },
  "a file that holds no secret": {
    args: ["signing-key", "import", "text.wasm"],
    code: 1,
    tag: "CommandFailed",
    message: "text.wasm is no file of sibyl signing-key export, which is a line of hex"
  },
  "a database of another network": {
    args: ["project", "list", "--network", "mainnet"],
    code: 1,
    tag: "CommandFailed",
    message: /this database is of the network local, not of mainnet$/
  },
  "a database that is not there": {
    args: ["project", "list", "--data", "empty"],
    code: 1,
    tag: "CommandFailed",
    message: /^there is no database at .*empty\/sibyl\.sqlite; /
  }
}

test("a working folder that has been removed is told in one line", async () => {
  const gone = await mkdtemp(join(folder, "gone-"))
  const said = spawn("sh", ["-c", `rmdir "$PWD"; exec "$@"`, "sh", ...sibylProgram(), "project", "list"], {
    cwd: gone,
    env: plainEnvironment,
    stdio: ["ignore", "pipe", "pipe"]
  })
  const texts = await Promise.all([text(said.stdout), text(said.stderr), once(said, "close")])
  expect(texts).toEqual(["", "sibyl: the working folder has been removed; change to another one\n", [1, null]])
})

// Nothing is hidden from root, as whom tests may run.
test.runIf(process.getuid?.() === 0)("a database that may not be looked for or changed is not called missing", async () => {
  const home = await mkdtemp(join(tmpdir(), "sibyl-hidden-"))
  await mkdir(join(home, "data"), { mode: 0o700 })
  await chmod(home, 0o755)
  const asNobody = async (args: ReadonlyArray<string>): Promise<readonly [stdout: string, stderr: string]> => {
    const said = spawn(sibylProgram()[0], [sibylProgram()[1], ...args], {
      cwd: home,
      env: plainEnvironment,
      stdio: ["ignore", "pipe", "pipe"],
      uid: 65_534,
      gid: 65_534
    })
    const [stdout, stderr] = await Promise.all([text(said.stdout), text(said.stderr), once(said, "close")])
    return [stdout, stderr]
  }
  const hidden = ["--database", "sqlite:data/a.sqlite"]
  for (const args of [
    ["project", "list", "--data", "data"],
    ["backup", "copy", ...hidden],
    ["restore", "data/copy", "--check"]
  ]) {
    expect(await asNobody(args), args.join(" ")).toEqual(["", expect.stringMatching(/^sibyl: .*permission denied[^\n]*\n$/i)])
  }
  const [examined] = await asNobody(["doctor", ...hidden])
  expect(examined).toMatch(/^database +failed +cannot look for .*permission denied \(EACCES\)$/m)
  const [unmade] = await asNobody(["doctor", "--data", "new"])
  expect(unmade).toMatch(
    /^database +failed +there is none at .*new\/sibyl\.sqlite, and none can be made: in .*permission denied \(EACCES\)$/m
  )
  // One that may be read, which is not enough.
  await writeFile(join(home, "theirs.sqlite"), "anything", { mode: 0o644 })
  const theirs = ["--database", "sqlite:theirs.sqlite"]
  const forbidden = /cannot read and change .*theirs\.sqlite, which belongs to user 0: permission denied \(EACCES\)/
  for (const args of [
    ["project", "list", ...theirs],
    ["backup", "/dev/null/copy", ...theirs]
  ]) {
    expect((await asNobody(args))[1], args.join(" ")).toMatch(forbidden)
  }
  expect((await asNobody(["doctor", ...theirs]))[0]).toMatch(forbidden)
  await rm(home, { recursive: true, force: true })
})

describe("a refusal", () => {
  test.each(Object.entries(refusals))("of %s", async (_what, { args, code, env = {}, message, tag }) => {
    const [forPeople, forScripts] = await Promise.all([
      runSibyl(args, { cwd: folder, env }),
      runSibyl([...args, "--json"], { cwd: folder, env })
    ])
    expect([forPeople.code, forScripts.code]).toEqual([code, code])
    expect([forPeople.stdout, forScripts.stdout]).toEqual(["", ""])
    const document: unknown = JSON.parse(forScripts.stderr)
    const expected: unknown = message instanceof RegExp ? expect.stringMatching(message) : message
    expect(document).toMatchObject({ _tag: tag, error: expected, message: expected })
    expect(forPeople.stderr).toBe(`sibyl: ${(document as { readonly message: string }).message}\n`)
  })

  test("creates no database", async () => {
    expect(await readdir(join(folder, "empty"))).toEqual([])
  })
})

/** Commands with every kind of end, to compare a process of their own with the shared process of `runSibyl`. */
const ends: Readonly<
  Record<string, { readonly args: ReadonlyArray<string>; readonly code: number; readonly env?: Record<string, string> }>
> = {
  "an answer": { args: ["project", "list"], code: 0 },
  "a document": { args: ["project", "list", "--json"], code: 0 },
  help: { args: ["--help"], code: 0 },
  "a failure": { args: ["key", "create", noProject], code: 1 },
  "a failure, as a document": { args: ["key", "create", noProject, "--json"], code: 1 },
  "a wrong word": { args: ["projct", "list"], code: 2 },
  "a wrong setting": { args: ["project", "list", "--json"], code: 2, env: { SIBYL_POTR: "1" } }
}

describe("a process of its own", () => {
  test.each(Object.entries(ends))(
    "gives %s and its exit code like the process that all commands share",
    async (_what, { args, code, env = {} }) => {
      const [own, shared] = await Promise.all([spawnSibyl(args, { cwd: folder, env }), runSibyl(args, { cwd: folder, env })])
      expect(own.code).toBe(code)
      expect(own).toEqual(shared)
    }
  )
})

describe("an answer", () => {
  test("has no colours without a terminal, and the same facts in both forms", async () => {
    const args = ["project", "show", projectId]
    const [forPeople, document] = await Promise.all([
      runSibyl(args, { cwd: folder, env: { FORCE_COLOR: "1" } }),
      askSibyl(args, { cwd: folder })
    ])
    expect(forPeople.code).toBe(0)
    expect(forPeople.stdout).not.toContain("\u001b")
    expect(document).toMatchObject({
      projectId,
      organizationSlug: "acme",
      gasLimits: { exec: "300000000000000", tally: "50000000000000" },
      usageLimit: null,
      allowedPrograms: null,
      credits: { granted: "0", used: "0", held: "0", remaining: "0" }
    })
    expect(forPeople.stdout).toMatch(new RegExp(`^project +${projectId}$`, "m"))
    expect(forPeople.stdout).toMatch(/^gas limits +execution 300,000,000,000,000, tally 50,000,000,000,000$/m)
  })

  test("of a command that creates the database names it once, for people only", async () => {
    const args = ["org", "create", "other", "--data", "new"]
    const first = await runSibyl(args, { cwd: folder })
    expect([first.code, first.stderr]).toEqual([0, `a new database: ${join(folder, "new", "sibyl.sqlite")}\n`])
    const next = await runSibyl(["org", "create", "another", "--data", "new"], { cwd: folder })
    expect([next.code, next.stderr]).toEqual([0, ""])
    const forScripts = await runSibyl(["org", "create", "other", "--data", "newer", "--json"], { cwd: folder })
    expect([forScripts.code, forScripts.stderr]).toEqual([0, ""])
  })

  test.each(["1", "yes", "no", "off"])("takes %s after a flag as the argument that it is", async (slug) => {
    const expected = { organizationSlug: slug }
    const made = await runSibyl(["org", "create", "--json", slug, "--data", "flags"], { cwd: folder })
    const shown = await runSibyl(["org", "show", "--data", "flags", "--json", slug], { cwd: folder })
    expect([made.code, shown.code, made.stderr, shown.stderr]).toEqual([0, 0, "", ""])
    for (const { stdout } of [made, shown]) expect(JSON.parse(stdout)).toMatchObject(expected)
  })

  test("of a change is the changed project", async () => {
    const settings = [
      "--usage-limit",
      "500/1h",
      "--allow",
      "0xAB".padEnd(66, "0"),
      "--allow-host",
      "*.Example.com",
      "--limit",
      "feedOverlap=3"
    ]
    expect(await askSibyl(["project", "update", projectId, ...settings], { cwd: folder })).toMatchObject({
      usageLimit: { periodMs: 3_600_000, credits: "500" },
      allowedPrograms: ["ab".padEnd(64, "0")],
      allowedHosts: ["*.example.com"],
      limits: { feedOverlap: 3 }
    })
    const back = ["--usage-limit", "none", "--allow", "any", "--allow-host", "any", "--limit", "feedOverlap=default"]
    expect(await askSibyl(["project", "update", projectId, ...back], { cwd: folder })).toMatchObject({
      usageLimit: null,
      allowedPrograms: null,
      allowedHosts: null,
      limits: {}
    })
  })

  test("of a usage limit below every hold is a refusal that names what a run holds", async () => {
    const args = ["project", "update", projectId, "--usage-limit", "350/1h"]
    const refused = await runSibyl(args, { cwd: folder })
    expect(refused.code).not.toBe(0)
    expect(refused.stderr).toContain("at least 351")
    expect(await askSibyl(["project", "show", projectId], { cwd: folder })).toMatchObject({ usageLimit: null })
  })

  test("of `proxy` covers a data proxy from registration to removal", async () => {
    const key = "0x0279BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798"
    const publicKey = key.slice(2).toLowerCase()
    const proxy = { publicKey, name: "prices", fee: "5", active: true }
    const added = await askSibyl(["proxy", "add", key, "--name", "prices", "--fee", "5"], { cwd: folder })
    expect(added).toMatchObject(proxy)
    expect(await askSibyl(["proxy", "list"], { cwd: folder })).toMatchObject({ proxies: [proxy] })
    expect(await askSibyl(["proxy", "remove", key], { cwd: folder })).toEqual({ publicKey, removed: true })
    const again = await runSibyl(["proxy", "remove", key], { cwd: folder })
    expect([again.code, again.stderr]).toEqual([1, `sibyl: there is no data proxy ${publicKey}\n`])
  })

  test("to --help lists every command, and for one command its options", async () => {
    const [all, one] = await Promise.all([runSibyl(["--help"], { cwd: folder }), runSibyl(["key", "rotate", "--help"], { cwd: folder })])
    for (const name of ["serve", "org show", "project update", "key revoke", "credits journal", "program deploy", "runs"]) {
      expect(all.stdout).toContain(`sibyl ${name} `)
    }
    expect(one.stdout).toMatch(/^Usage: sibyl key rotate \[options\] <key>$/m)
    expect(one.stdout).toMatch(/^  --overlap OVERLAP +how long both keys are valid/m)
    expect(all.stdout + one.stdout).not.toContain("\u001b")
    expect([all.code, one.code, all.stderr, one.stderr]).toEqual([0, 0, "", ""])
  })

  test("to a whole key is about the key, without its secret; runs are listed newest first", async () => {
    const make = async () => (await askSibyl(["key", "create", projectId], { cwd: folder })) as Record<"key" | "apiKeyId", string>
    const [made, other] = [await make(), await make()]
    const said = await runSibyl(["key", "revoke", made.key], { cwd: folder })
    expect(said).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining(`key ${made.apiKeyId} is revoked`) })
    expect(said.stdout).not.toMatch(/no valid key/)
    expect(said.stdout).not.toContain(made.key)
    const last = await runSibyl(["key", "revoke", other.apiKeyId], { cwd: folder })
    expect(last).toMatchObject({ code: 0, stdout: expect.stringMatching(/\nits project has no valid key any more\n$/) })
    const again = await runSibyl(["key", "revoke", made.apiKeyId], { cwd: folder })
    expect(again).toEqual({ code: 0, stderr: "", stdout: `key ${made.apiKeyId} was revoked before; nothing has changed\n` })
    expect(await askSibyl(["runs", projectId], { cwd: folder })).toEqual({ projectId, runs: [], nextBefore: null })
  })

  test("to `config` shows every setting's origin, and no secret", async () => {
    const flags = ["--port", "1", "--set", "tariff.base=3"]
    const env = { SIBYL_DATABASE: "postgres://me:p4ssphrase@localhost/db", SIBYL_LIMITS_FEED_OVERLAP: "9" }
    const [document, forPeople] = await Promise.all([
      askSibyl(["config", ...flags], { cwd: folder, env }),
      runSibyl(["config", ...flags], { cwd: folder, env })
    ])
    expect(document).toMatchObject({
      file: null,
      settings: {
        port: { value: 1, from: "command line" },
        "tariff.base": { value: "3", from: "command line" },
        "limits.feedOverlap": { value: 9, from: "SIBYL_LIMITS_FEED_OVERLAP" },
        database: { value: "<redacted>", from: "SIBYL_DATABASE" },
        host: { value: null, from: "default" }
      }
    })
    expect(forPeople.stdout).toMatch(/^limits\.feedOverlap +9 +SIBYL_LIMITS_FEED_OVERLAP$/m)
    expect(forPeople.stdout).not.toContain("p4ssphrase")
  })

  test("to `config` shows no default database if a file contains its address", async () => {
    await writeFile(join(folder, "address"), "sqlite:elsewhere.sqlite\n")
    const { stdout } = await runSibyl(["config", "--set", "databaseFile=address"], { cwd: folder })
    expect(stdout).toMatch(/^database +as databaseFile says +default$/m)
  })

  test("to `serve` tells of files without certificates, and of name servers by name, before it serves", async () => {
    await writeFile(join(folder, "ca.pem"), "-----BEGIN PRIVATE KEY-----")
    const refusal = async (setting: string) => {
      const { code, stderr } = await runSibyl(["serve", "--port", "0", "--set", setting], { cwd: folder })
      return [code, stderr.trim()]
    }
    expect(await refusal("outbound.caFiles=ca.pem")).toEqual([
      2,
      "sibyl: outbound.caFiles: ca.pem has no certificates in PEM form, or one that cannot be read"
    ])
    expect(await refusal("outbound.dnsServers=dns.example")).toEqual([
      2,
      "sibyl: outbound.dnsServers: not an IP address, or one with a port: dns.example"
    ])
  })
})
