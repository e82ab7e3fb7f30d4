/** Backups that are taken under load, restored on another machine's folder, and served there; without the signing key, and with it. */
import { existsSync, readFileSync, statSync } from "node:fs"
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { verify } from "@sibyl/core/verify"
import { auditLedger } from "@sibyl/sql"
import { auditPrograms } from "@sibyl/testing"
import { afterEach, expect, test } from "vitest"
import { execution } from "../crash/testdata/flatPrice.ts"
import { Clients } from "../crash/testdata/clients.ts"
import { readLedgerTables } from "../crash/testdata/ledgerTables.ts"
import { answerFaults } from "../crash/testdata/receivedAnswers.ts"
import { chosenSeed, seededRandom } from "../crash/testdata/seededRandom.ts"
import { type DatabaseKind, describeKinds, ownRuntime, Site } from "../crash/testdata/site.ts"
import { freshPostgres } from "../testdata/freshPostgres.ts"
import { type Said, spawnSibyl } from "../testdata/runSibyl.ts"
import { StartedServer } from "../testdata/startedServer.ts"

let site: Site | undefined
let elsewhere: string | undefined
let restored: StartedServer | undefined

afterEach(async () => {
  await restored?.stop("SIGKILL")
  await site?.close()
  if (elsewhere !== undefined) await rm(elsewhere, { recursive: true, force: true })
})

/** A folder with the configuration of another machine, whose database is empty. */
const otherMachine = async (kind: DatabaseKind): Promise<{ readonly cwd: string; readonly database: string }> => {
  elsewhere = await mkdtemp(join(tmpdir(), "sibyl-elsewhere-"))
  const database = kind === "SQLite" ? `sqlite:${join(elsewhere, "new", "sibyl.sqlite")}` : (await freshPostgres()).url
  await writeFile(join(elsewhere, "database"), database, { mode: 0o600 })
  const settings = { databaseFile: "database", network: "testnet", chainId: "sibyl-1-test", port: 0, workers: 1 }
  await writeFile(join(elsewhere, "sibyl.json"), JSON.stringify(settings))
  return { cwd: elsewhere, database }
}

const documentOf = ({ code, stderr, stdout }: Said): Record<string, unknown> => {
  if (code !== 0) throw new Error(`ended with ${code}: ${stdout}${stderr}`)
  return JSON.parse(stdout)
}

const infoOf = async (url: string) => (await (await fetch(`${url}/info`)).json()) as { readonly publicKey: string }

describeKinds("backups", (kind) => {
  test("under load hold every answer, go on serving elsewhere, and say what is wrong", async () => {
    const opened = await Site.open(kind)
    site = opened
    const said: Array<Said> = []
    const sibyl = async (cwd: string, ...words: ReadonlyArray<string>): Promise<Said> => {
      const one = await spawnSibyl(words, { cwd })
      said.push(one)
      return one
    }
    const programs = { echo: await opened.deploy(auditPrograms.echo), failing: await opened.deploy(auditPrograms.failing) }
    const tenant = await opened.tenant(1_000_000_000n)
    const server = await opened.start()
    const { publicKey } = await infoOf(server.url)
    const clients = new Clients({ tenant, programs, random: seededRandom(chosenSeed()) })
    const done = new AbortController()
    const asking = clients.ask(server.url, 4, done.signal)
    await clients.until(20)
    // Copies, because more answers come while the backup is taken.
    const told = {
      answered: new Map([...clients.answered].map(([inputs, ids]) => [inputs, new Set(ids)])),
      keyed: new Set(clients.keyed),
      fed: new Set<string>()
    }
    const without = documentOf(await sibyl(opened.folder, "backup", "without.backup", "--json"))
    await clients.until(5)
    const withKey = documentOf(await sibyl(opened.folder, "backup", "with.backup", "--with-signing-key", "--json"))
    done.abort()
    await asking
    expect(clients.surprises).toEqual([])
    const exported = documentOf(await sibyl(opened.folder, "signing-key", "export", "the.key", "--json"))
    expect(exported).toMatchObject({ publicKey })
    expect(await server.process.stop("SIGTERM")).toEqual({ code: 0, signal: null })

    const fileOf = (name: string) => join(opened.folder, name)
    expect([without, withKey]).toMatchObject([
      { database: kind, hasSigningKey: false, network: "testnet", sizeBytes: statSync(fileOf("without.backup")).size },
      { hasSigningKey: true }
    ])
    for (const name of ["without.backup", "with.backup", "the.key"]) expect(statSync(fileOf(name)).mode & 0o777).toBe(0o600)
    const secret = readFileSync(fileOf("the.key"), "utf8").trim()
    expect(secret).toMatch(/^[0-9a-f]{64}$/)
    // PostgreSQL's archive is compressed: there, only SQLite's bytes tell anything.
    const holds = (name: string) => readFileSync(fileOf(name)).includes(Buffer.from(secret, "hex"))
    expect(holds("without.backup")).toBe(false)
    if (kind === "SQLite") expect(holds("with.backup")).toBe(true)
    expect(await sibyl(opened.folder, "backup", "with.backup")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^sibyl: .* is there already\n$/)
    })
    expect(await sibyl(opened.folder, "backup", "gone/new.backup")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^sibyl: there is no folder \S+\/gone for new\.backup\n$/)
    })
    expect(await sibyl(opened.folder, "backup", "other.backup", "--network", "mainnet")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("this database is of the network testnet, not of mainnet")
    })
    expect(existsSync(fileOf("other.backup"))).toBe(false)

    const checked = documentOf(await sibyl(opened.folder, "restore", "without.backup", "--check", "--json"))
    expect(checked).toMatchObject({ check: true, sound: true, faults: [], counts: without["counts"] })
    const env = { TMPDIR: "/nowhere" }
    expect(await spawnSibyl(["restore", "without.backup", "--check"], { cwd: opened.folder, env })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/sibyl: cannot restore: no folder can be made in \/nowhere, which TMPDIR names: .+\n$/)
    })
    expect((without["counts"] as { readonly reports: number }).reports).toBeGreaterThanOrEqual(told.answered.size)

    const { cwd, database } = await otherMachine(kind)
    const backup = fileOf("without.backup")
    expect(await sibyl(cwd, "restore", backup)).toMatchObject({ code: 0, stdout: expect.stringContaining("the books hold") })
    // Before a backup is read, which takes as long as it is large.
    await writeFile(join(cwd, "no.backup"), "no backup")
    for (const file of [backup, "no.backup"]) {
      const refused = { code: 1, stderr: expect.stringMatching(/^sibyl: .*(?:is there already|is not empty)/) }
      expect(await sibyl(cwd, "restore", file)).toMatchObject(refused)
    }
    const other = kind === "SQLite" ? "postgres://127.0.0.1:1/db" : "sqlite:other.sqlite"
    const ofKind = {
      code: 1,
      stderr: expect.stringMatching(new RegExp(`^sibyl: the backup is of a ${kind} database: name one of that kind`))
    }
    expect(await sibyl(cwd, "restore", backup, "--to", other)).toMatchObject(ofKind)
    if (kind === "SQLite") {
      expect(await sibyl(cwd, "restore", backup, "--check", "--to", "postgres://host/db")).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/the backup is of a SQLite database, .*: leave --to out\n$/)
      })
    }
    const ledger = await readLedgerTables(database, tenant.projectId)
    expect([auditLedger(ledger), answerFaults(ledger, told), ledger.account.held]).toEqual([[], [], 0n])

    const keyless = new StartedServer(ownRuntime, ["serve", "--json"], cwd)
    expect(await keyless.exit).toMatchObject({ code: 1 })
    expect(keyless.output).toContain("has no secret for its signing key")
    expect(await sibyl(cwd, "signing-key", "import", fileOf("the.key"))).toMatchObject({ code: 0 })
    restored = new StartedServer(ownRuntime, ["serve", "--json"], cwd)
    const [line] = await restored.until(/^\{"(?:url|executor)":.*\}$/m)
    const { url }: { readonly url: string } = JSON.parse(line)
    expect((await infoOf(url)).publicKey).toBe(publicKey)
    const answer = await execution(url, { key: tenant.key, programId: programs.echo, inputs: "after the disaster" })
    expect(verify(answer.json, { publicKey })).toMatchObject({ ok: true })

    for (const { stderr, stdout } of said) {
      for (const hidden of [secret, tenant.key.split("_")[3] ?? "", opened.password ?? secret])
        expect(stdout + stderr).not.toContain(hidden)
    }
    expect((await readdir(opened.folder)).filter((name) => name.includes("partial"))).toEqual([])
    expect(existsSync(fileOf("with.backup"))).toBe(true)
  }, 240_000)
})
