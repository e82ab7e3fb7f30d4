/** Backups and restorations on a full disk, and without the programs of PostgreSQL: what is said, and that nothing is left. */
import { mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { whyNoPostgres } from "@sibyl/testing"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { freshPostgres } from "../../packages/server/src/testdata/freshPostgres.ts"
import { askSibyl } from "../../packages/server/src/testdata/runSibyl.ts"
import { whyNotContained } from "./readOnlyRoot.ts"
import { type EndedCommand, onSmallDisk } from "./smallDisk.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const bin = join(root, "packages/server/bin/sibyl.js")
const modules = ["crypto-price", "equity-session", "metals-index"].map((name) => join(root, `programs/build/${name}.wasm`))

const plenty = 64 * 1_048_576
const page = 4_096

/** A folder with a configuration and a database that has something in it, a place for a small disk, and a sound backup. */
class Deployment {
  readonly cwd: string
  readonly disk: string

  private constructor(cwd: string) {
    this.cwd = cwd
    this.disk = join(cwd, "disk")
  }

  static async open(database: string): Promise<Deployment> {
    const deployment = new Deployment(await mkdtemp(join(tmpdir(), "sibyl-troubles-")))
    const { cwd, disk } = deployment
    await mkdir(disk)
    const settings = { databaseFile: "database", network: "testnet", chainId: "sibyl-1-test", port: 0, workers: 1 }
    await writeFile(join(cwd, "database"), database.replace("FOLDER", cwd), { mode: 0o600 })
    await writeFile(join(cwd, "sibyl.json"), JSON.stringify(settings))
    await askSibyl(["project", "create", "--org", "acme"], { cwd })
    for (const module of modules) await askSibyl(["program", "deploy", module], { cwd })
    await askSibyl(["backup", "sound.backup"], { cwd })
    return deployment
  }

  run(bytes: number, words: ReadonlyArray<string>, hasPostgresTools = true): Promise<EndedCommand> {
    const { cwd, disk } = this
    return onSmallDisk([process.execPath, bin, ...words, "--json"], { bytes, cwd, disk, hasPostgresTools })
  }

  /** The actions in the audit trail, newest first. */
  async actions(): Promise<ReadonlyArray<unknown>> {
    const { entries } = (await askSibyl(["audit"], { cwd: this.cwd })) as { readonly entries: ReadonlyArray<{ readonly action: string }> }
    return entries.map(({ action }) => action)
  }

  close(): Promise<void> {
    return rm(this.cwd, { recursive: true, force: true })
  }
}

const failureIn = ({ stderr }: EndedCommand): Record<string, unknown> => JSON.parse(stderr)

const isFull = (ended: EndedCommand, file: string): void => {
  expect(ended).toMatchObject({ code: 1, stdout: "", left: [] })
  const failure = failureIn(ended)
  expect(failure).toMatchObject({ _tag: "DiskFull", freeBytes: expect.any(Number) })
  expect(failure["message"]).toContain(`there is no space for ${file}`)
}

const why = whyNotContained ?? ""
const titled = (title: string, reason: string): string => (reason === "" ? title : `${title} (skipped: ${reason})`)

describe.skipIf(why !== "")(titled("of a SQLite file", why), () => {
  let deployment: Deployment
  beforeAll(async () => {
    deployment = await Deployment.open("sqlite:FOLDER/sibyl.sqlite")
  })
  afterAll(() => deployment.close())

  test("a disk that is full during the copy, or with the last line, fails the backup, which has no entry", async () => {
    const file = join(deployment.disk, "new.backup")
    const { size } = await stat(join(deployment.cwd, "sound.backup"))
    const copyBytes = Math.floor(size / page) * page
    const before = await deployment.actions()
    for (const bytes of [copyBytes / 2, copyBytes]) isFull(await deployment.run(bytes, ["backup", file]), file)
    expect(await deployment.actions()).toEqual(before)
    const made = await deployment.run(plenty, ["backup", file])
    expect(made).toMatchObject({ code: 0, left: ["new.backup"] })
    expect(JSON.parse(made.stdout)).toMatchObject({ file, whyNotInAuditTrail: null })
    expect(await deployment.actions()).toEqual(["database.backup", ...before])
  })

  test("a disk that is full fails a restoration and its check, while the copy is written and while it is audited", async () => {
    const { size } = await stat(join(deployment.cwd, "sound.backup"))
    const target = join(deployment.disk, "new.sqlite")
    for (const bytes of [page, size - (size % page) + page]) {
      isFull(await deployment.run(bytes, ["restore", "sound.backup", "--to", `sqlite:${target}`]), target)
      isFull(await deployment.run(bytes, ["restore", "sound.backup", "--check"]), deployment.disk)
    }
    const checked = await deployment.run(plenty, ["restore", "sound.backup", "--check"])
    expect(checked).toMatchObject({ code: 0, left: [] })
  })

  test("a restored database says that it is one", async () => {
    const { cwd } = deployment
    const to = join(cwd, "restored.sqlite")
    await askSibyl(["restore", "sound.backup", "--to", `sqlite:${to}`], { cwd })
    const audit = (await askSibyl(["audit", "--database", `sqlite:${to}`], { cwd })) as { readonly entries: ReadonlyArray<unknown> }
    expect(audit.entries[0]).toMatchObject({
      action: "database.restore",
      subject: join(cwd, "sound.backup"),
      details: { takenAt: expect.stringMatching(/^20.*Z$/), hasSigningKey: false }
    })
  })
})

const whyNot = whyNotContained ?? whyNoPostgres ?? ""

describe.skipIf(whyNot !== "")(titled("of a PostgreSQL database", whyNot), () => {
  let deployment: Deployment
  beforeAll(async () => {
    deployment = await Deployment.open((await freshPostgres()).url)
  })
  afterAll(() => deployment.close())

  test("a full disk fails the backup and a restoration", async () => {
    const file = join(deployment.disk, "new.backup")
    isFull(await deployment.run(page, ["backup", file]), file)
    const checked = await deployment.run(page, ["restore", "sound.backup", "--check"])
    isFull(checked, deployment.disk)
    expect(await deployment.run(plenty, ["backup", file])).toMatchObject({ code: 0, left: ["new.backup"] })
    expect(await deployment.actions()).toEqual(expect.arrayContaining(["database.backup"]))
  })

  test("without pg_dump and pg_restore, what to install is said, and nothing is left", async () => {
    const words = { pg_dump: ["backup", join(deployment.disk, "new.backup")], pg_restore: ["restore", "sound.backup", "--check"] }
    for (const [tool, command] of Object.entries(words)) {
      const ended = await deployment.run(plenty, command, false)
      expect(ended).toMatchObject({ code: 1, stdout: "", left: [] })
      const failure = failureIn(ended)
      expect(failure).toMatchObject({ _tag: "CommandFailed" })
      expect(failure["message"]).toMatch(
        new RegExp(`^${tool} of PostgreSQL \\d+ or newer is needed, none was found: install postgresql-client-\\d+ `)
      )
    }
    expect((await deployment.actions())[0]).toBe("database.backup")
  })
})
