/** The doctor on real deployments: a healthy server's folder, and each fault that one can have. */
import { existsSync } from "node:fs"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { createServer, type Server } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SqlClient } from "@effect/sql/SqlClient"
import { layerPostgresAsItIs, layerSqlite } from "@sibyl/sql"
import { makeHandClock, sharedPostgres, whyNoPostgres } from "@sibyl/testing"
import { Effect, Redacted } from "effect"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { openSibyl } from "../service/openSibyl.ts"
import { freshPostgres } from "../testdata/freshPostgres.ts"
import { askSibyl, runSibyl } from "../testdata/runSibyl.ts"
import { examine } from "./examine.ts"
import type { Finding } from "./finding.ts"
import { isHealthy } from "./reportAnswer.ts"

let folder: string
let filename: string
let open: Array<Server>

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sibyl-doctor-"))
  filename = join(folder, "sibyl.sqlite")
  open = []
})
afterEach(async () => {
  for (const server of open) server.closeAllConnections()
  await Promise.all(open.map((server) => new Promise((resolve) => server.close(resolve))))
  await rm(folder, { recursive: true, force: true })
})

/** An HTTP server on loopback that answers every request with `status` and `body`. */
const listen = async (status: number, body: string): Promise<number> => {
  const server = createServer((_request, response) => response.writeHead(status).end(body))
  open.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

const doctor = async (
  settings: Readonly<Record<string, string>> = {},
  urls: ReadonlyArray<string> = []
): Promise<Readonly<Record<string, Finding>>> => {
  const flags = { config: undefined, settings: { data: folder, port: "0", workers: "1", ...settings } }
  const findings = await Effect.runPromise(examine(flags, urls))
  return Object.fromEntries(findings.map((finding) => [finding.check, finding]))
}

const makeDatabase = async (): Promise<void> => (await openSibyl({ database: filename, workers: 1 })).close()

const change = (statement: (sql: SqlClient) => Effect.Effect<unknown, unknown>): Promise<void> =>
  Effect.runPromise(Effect.flatMap(SqlClient, statement).pipe(Effect.asVoid, Effect.provide(layerSqlite({ filename }))))

describe("the doctor", () => {
  test("accepts an empty folder and creates nothing", async () => {
    const found = await doctor()
    expect(isHealthy(Object.values(found))).toBe(true)
    expect(Object.keys(found)).toEqual([
      "runtime",
      "configuration",
      "database",
      "disk",
      "clock",
      "outbound",
      "workers",
      "open files",
      "port"
    ])
    expect(existsSync(filename)).toBe(false)
  })

  test("tells where no database can be made", async () => {
    const file = join(folder, "file")
    await writeFile(file, "")
    for (const data of [file, join(file, "below", "it")]) {
      expect((await doctor({ data })).database).toEqual({
        check: "database",
        status: "failed",
        message: `there is none at ${join(data, "sibyl.sqlite")}, and none can be made: ${file} is a file, not a folder`
      })
    }
  })

  test.skipIf(process.platform !== "linux")("tells that /proc takes no database (skipped: only Linux has it)", async () => {
    expect((await doctor({ data: "/proc/x" })).database).toMatchObject({
      status: "failed",
      message: "there is none at /proc/x/sibyl.sqlite, and none can be made: in /proc: this file system takes no files"
    })
  })

  test("accepts a server's database (schema, network, a working signing key) and changes nothing", async () => {
    await makeDatabase()
    const before = await readFile(filename)
    const found = await doctor()
    expect(isHealthy(Object.values(found))).toBe(true)
    expect(found).toMatchObject({
      database: { status: "ok", message: filename },
      integrity: { status: "ok", message: "sound" },
      schema: { status: "ok", message: expect.stringMatching(/^version (\d+) of \1$/) },
      network: { status: "ok", message: "local" },
      "signing key": { status: "ok", message: expect.stringMatching(/^0[23][0-9a-f]{64}$/) },
      workers: { status: "ok", message: "a program runs" }
    })
    expect((await readFile(filename)).equals(before)).toBe(true)
  })

  test("detects a damaged page and an emptied file, and changes neither", async () => {
    await makeDatabase()
    const bytes = await readFile(filename)
    bytes.fill(0xa5, 8 * 4_096, 9 * 4_096)
    await writeFile(filename, bytes)
    expect((await doctor()).integrity).toMatchObject({
      status: "failed",
      message: expect.stringMatching(/^the file is damaged \(.+\): put a backup in its place$/)
    })
    await writeFile(filename, "")
    expect((await doctor()).database).toMatchObject({
      status: "failed",
      message: expect.stringContaining("is empty, which no database of Sibyl is")
    })
    expect(await readFile(filename)).toHaveLength(0)
  })

  test("detects another network's database", async () => {
    await makeDatabase()
    expect((await doctor({ network: "mainnet" })).network).toMatchObject({
      status: "failed",
      message: "the database is of the network local, the configuration says mainnet"
    })
  })

  test("detects a database that a newer version has opened", async () => {
    await makeDatabase()
    await change((sql) => sql`INSERT INTO migrations (migration_id, name) VALUES (999, 'from_the_future')`)
    const found = await doctor()
    expect(found["schema"]).toMatchObject({ status: "failed", message: expect.stringMatching(/^version 999 of \d+: a newer Sibyl/) })
    expect(found["signing key"]).toMatchObject({ status: "skipped", message: "not with the schema of a newer version" })
  })

  test("detects a clock that is behind the stored times", async () => {
    await makeDatabase()
    await change((sql) =>
      Effect.gen(function* () {
        yield* sql`INSERT INTO organizations (organization_id, organization_slug, created_at_ms) VALUES ('o', 'o', 1)`
        yield* sql`
          INSERT INTO projects (project_id, organization_id, settings, created_at_ms) VALUES ('p', 'o', '{}', 1)`
        yield* sql`
          INSERT INTO journal (project_id, entry, kind, credits, hold_id, at_ms)
          VALUES ('p', 1, 'grant', '1', NULL, ${Date.UTC(2999, 0, 1)})`
      })
    )
    expect((await doctor()).clock).toMatchObject({
      status: "failed",
      message: expect.stringContaining("2999-01-01T00:00:00Z")
    })
  })

  test.skipIf(whyNoPostgres !== undefined)("warns of a clock that is not the database's", async () => {
    const { url } = await Effect.runPromise(sharedPostgres)
    const flags = { config: undefined, settings: { data: folder, port: "0", workers: "1", database: url("postgres") } }
    const findings = await Effect.runPromise(Effect.withClock(examine(flags, []), makeHandClock(Date.now() + 600_000)))
    expect(findings.find(({ check }) => check === "clock")).toMatchObject({
      status: "warning",
      message: expect.stringMatching(/: this machine's clock is (?:59|60)\d s ahead of the database's: /)
    })
  })

  test.skipIf(whyNoPostgres !== undefined)("warns of a PostgreSQL that grants fewer connections than a server wants", async () => {
    // An empty one: tables that another user made are not this user's to read.
    const { url } = await freshPostgres()
    const role = Effect.flatMap(SqlClient, (sql) => sql`CREATE ROLE doctored LOGIN PASSWORD 'few' CONNECTION LIMIT 4`)
    await Effect.runPromise(Effect.provide(role, layerPostgresAsItIs({ url: Redacted.make(url) })))
    const address = new URL(url)
    address.username = "doctored"
    address.password = "few"
    const message = expect.stringMatching(/^PostgreSQL grants this user 4 in all, databaseConnections is 10: /)
    expect(await doctor({ database: address.href })).toMatchObject({ connections: { status: "warning", message } })
    expect((await doctor({ database: address.href, databaseConnections: "4" })).connections).toBeUndefined()
  })

  test("detects a file that is not a database and an unreachable PostgreSQL, without repeating a password", async () => {
    await writeFile(filename, "this is no database, whatever its name says")
    expect((await doctor()).database).toMatchObject({ status: "failed" })
    const url = "postgres://me:hidden-password@127.0.0.1:1/none"
    const { database, workers } = await doctor({ database: url })
    expect(database).toMatchObject({ status: "failed" })
    expect(database?.message).not.toContain("hidden-password")
    expect(workers).toMatchObject({ status: "ok" })
  })

  test("distinguishes a port taken by another process from one where Sibyl already serves", async () => {
    const health = { status: "healthy", version: "1.0.0", uptimeMs: 5 }
    const [ours, other] = await Promise.all([listen(200, JSON.stringify(health)), listen(404, "not here")])
    expect((await doctor({ port: `${ours}` })).port).toEqual({
      check: "port",
      status: "ok",
      message: `a Sibyl serves at http://127.0.0.1:${ours}; it is healthy`
    })
    expect((await doctor({ port: `${other}` })).port).toMatchObject({
      status: "failed",
      message: `port ${other} of 127.0.0.1 is in use; choose another with --port`
    })
  })

  test("requests upstreams as a program would: through overrides, and never from a private address", async () => {
    const port = await listen(200, "{}")
    const overrides = { "outbound.hostOverrides": JSON.stringify({ "prices.example": `http://127.0.0.1:${port}` }) }
    expect((await doctor(overrides, ["https://prices.example/latest"])).upstream).toMatchObject({
      status: "ok",
      message: "https://prices.example/latest answers 200"
    })
    expect((await doctor(overrides, [`http://127.0.0.1:${port}/`])).upstream).toMatchObject({ status: "failed" })
    expect((await doctor({ "outbound.allowHosts": "not a host" })).outbound).toMatchObject({
      status: "failed",
      message: "outbound.allowHosts: not a host: not a host"
    })
  })

  test("reports an invalid configuration and stops there", async () => {
    const found = await doctor({ wokers: "2" })
    expect(found.configuration).toMatchObject({
      status: "failed",
      message: "wokers is not a setting; did you mean workers?"
    })
    expect(found.workers).toMatchObject({ status: "skipped" })
  })
})

describe("sibyl doctor", () => {
  test("exits with 0 if everything is fine, else with 1", async () => {
    const well = await askSibyl(["doctor", "--port", "0", "--workers", "1"], { cwd: folder })
    expect(well).toMatchObject({
      healthy: true,
      checks: expect.arrayContaining([
        {
          check: "workers",
          status: "ok",
          message: "a program runs"
        }
      ])
    })
    const ill = await runSibyl(["doctor", "--json"], { cwd: folder, env: { SIBYL_PORT: "many" } })
    expect(ill.code).toBe(1)
    expect(JSON.parse(ill.stdout)).toMatchObject({ healthy: false })
    expect(JSON.parse(ill.stderr)).toMatchObject({ _tag: "CommandFailed" })
  })

  test.each<[ReadonlyArray<string>, string]>([
    [["--port", "many"], '--port must be a whole number from 0 to 65535, not "many"'],
    [["--executor", "--set", "wokers=1"], "wokers is not a setting; did you mean workers?"],
    [["--set", "port"], "--set must be NAME=VALUE"],
    [["--reach", "example.com"], '--reach must be an http or https URL, such as https://api.example.com, not "example.com"']
  ])("ends with 2 for what is typed wrongly: %j", async (words, message) => {
    const said = await runSibyl(["doctor", ...words], { cwd: folder })
    expect(said).toEqual({ code: 2, stdout: "", stderr: `sibyl: ${message}\n` })
  })
})
