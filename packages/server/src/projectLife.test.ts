/** A project's life by command line alone, beside a running server: on SQLite, and on PostgreSQL where there is one. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir, userInfo } from "node:os"
import { join } from "node:path"
import { ExecuteResponse, InfoRecord } from "@sibyl/core"
import { verify } from "@sibyl/core/verify"
import { dial, type WireClient, whyNoPostgres } from "@sibyl/testing"
import { type Market, startMarket } from "@sibyl/devkit/market"
import { Schema } from "effect"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { btcUsd } from "./serve/demo/btcUsd.ts"
import { freshPostgres } from "./testdata/freshPostgres.ts"
import { askSibyl, runSibyl } from "./testdata/runSibyl.ts"
import { type RuntimeName, StartedServer } from "./testdata/startedServer.ts"

const runtime: RuntimeName = typeof globalThis.Bun === "undefined" ? "node" : "bun"
const cryptoPrice = createRequire(import.meta.url).resolve("@sibyl/programs/crypto-price.wasm")

const Started = Schema.Struct({ url: Schema.String, network: Schema.String, chainId: Schema.String })
const Project = Schema.Struct({ projectId: Schema.String, organizationSlug: Schema.String, name: Schema.String })
const Key = Schema.Struct({ apiKeyId: Schema.String, key: Schema.String })
const Program = Schema.Struct({ programId: Schema.String })
const Credits = Schema.Struct({
  granted: Schema.BigInt,
  used: Schema.BigInt,
  held: Schema.BigInt,
  remaining: Schema.BigInt
})
const Runs = Schema.Struct({
  runs: Schema.Array(Schema.Struct({ source: Schema.String, exitCode: Schema.Int, execProgramId: Schema.String }))
})
const Journal = Schema.Struct({
  entries: Schema.Array(Schema.Struct({ entry: Schema.Int, kind: Schema.String, credits: Schema.BigInt })),
  nextBefore: Schema.NullOr(Schema.Int)
})
const Audited = Schema.Struct({
  entries: Schema.Array(Schema.Struct({ at: Schema.String, by: Schema.String, action: Schema.String, subject: Schema.String }))
})
const Listed = Schema.Struct({ keys: Schema.Array(Schema.Struct({ apiKeyId: Schema.String, state: Schema.String })) })

/** A revoked key's sockets close within a second; a busy machine gets ten times that. */
const closedWithinMs = 10_000

/** Some fifteen processes one after the other. */
const wholeLifeMs = 400_000

let folder: string
let market: Market
let servers: Array<StartedServer>

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sibyl-life-"))
  market = await startMarket({ seed: 7 })
  servers = []
})
afterEach(async () => {
  await Promise.all(servers.map((server) => server.stop("SIGKILL")))
  await market.close()
  await rm(folder, { recursive: true, force: true })
})

const ask = async <A, I>(schema: Schema.Schema<A, I>, ...args: ReadonlyArray<string>): Promise<A> =>
  Schema.decodeUnknownSync(schema)(await askSibyl(args, { cwd: folder }))

const serve = async (): Promise<string> => {
  const server = new StartedServer(runtime, ["serve", "--json"], folder)
  servers.push(server)
  const [line] = await server.until(/^\{"(?:url|executor)":.*\}$/m)
  const { chainId, network, url } = Schema.decodeUnknownSync(Started)(JSON.parse(line))
  expect({ network, chainId }).toEqual({ network: "testnet", chainId: "sibyl-1-test" })
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/oracle$/)
  expect((await fetch(new URL("/info", url))).status).toBe(404)
  return url
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

const statusOf = async (url: string, key: string): Promise<number> => (await fetch(`${url}/verify`, { headers: bearer(key) })).status

const execute = (url: string, key: string, execProgramId: string): Promise<Response> =>
  fetch(`${url}/execute?encoding=json`, {
    method: "POST",
    headers: { ...bearer(key), "content-type": "application/json" },
    body: JSON.stringify({ execProgramId, execInputs: { id: btcUsd, output_format: "json" } })
  })

const connect = async (url: string, key: string): Promise<WireClient> => {
  const { client } = await dial({ url: `${url}/ws/v1`, headers: bearer(key) })
  if (client === undefined) throw new Error("no WebSocket")
  await client.until(() => client.messages[0])
  return client
}

/** The folder of an operator: its configuration, and nothing else yet. */
const configure = (database: object): Promise<void> =>
  writeFile(
    join(folder, "sibyl.json"),
    JSON.stringify({
      ...database,
      port: 0,
      prefix: "/oracle",
      workers: 1,
      network: "testnet",
      chainId: "sibyl-1-test",
      tariff: { base: 2 },
      outbound: { hostOverrides: { "hermes.pyth.network": market.url } }
    })
  )

const live = async (): Promise<void> => {
  const project = await ask(Project, "project", "create", "--org", "acme", "--name", "Prices")
  expect(project).toMatchObject({ organizationSlug: "acme", name: "Prices" })
  const { projectId } = project
  const first = await ask(Key, "key", "create", projectId, "--name", "backend")
  await ask(Credits, "credits", "grant", projectId, "10_000")
  await ask(Credits, "credits", "grant", projectId, "500")
  expect(await ask(Credits, "credits", "withdraw", projectId, "500")).toMatchObject({ granted: 10_000n, remaining: 10_000n })
  const { programId } = await ask(Program, "program", "deploy", cryptoPrice)
  const url = await serve()

  const response = await execute(url, first.key, programId)
  expect(response.status).toBe(200)
  const answered: unknown = await response.json()
  const { data } = Schema.decodeUnknownSync(ExecuteResponse)(answered)
  expect(data.result).toMatchObject({ price: expect.any(Number) })
  const { publicKey } = Schema.decodeUnknownSync(InfoRecord)(await (await fetch(`${url}/info`)).json())
  expect(verify(answered, { publicKey })).toMatchObject({ ok: true })

  const credits = await ask(Credits, "credits", "show", projectId)
  expect(credits).toMatchObject({ granted: 10_000n, held: 0n, remaining: 10_000n - credits.used })
  // Two for the run, as the configuration says, and one for each begun 10^12 gas of the two phases.
  expect(credits.used).toBe(2n + (BigInt(data.dataResult.gasUsed) + 999_999_999_999n) / 1_000_000_000_000n)
  const recent = await ask(Runs, "runs", projectId, "--amount", "1")
  expect(recent.runs).toMatchObject([{ source: "rest", exitCode: 0, execProgramId: programId }])
  const newest = await ask(Journal, "credits", "journal", projectId, "--amount", "2")
  expect(newest.entries.map(({ entry, kind }) => `${entry} ${kind}`)).toEqual(["5 post", "4 hold"])
  expect(newest.entries[0]?.credits).toBe(credits.used)
  const older = await ask(Journal, "credits", "journal", projectId, "--before", `${newest.nextBefore}`)
  expect(older).toEqual({
    entries: [
      { entry: 3, kind: "withdraw", credits: 500n },
      { entry: 2, kind: "grant", credits: 500n },
      { entry: 1, kind: "grant", credits: 10_000n }
    ],
    nextBefore: null
  })

  const second = await ask(Key, "key", "rotate", first.apiKeyId, "--overlap", "1h")
  expect(await Promise.all([statusOf(url, first.key), statusOf(url, second.key)])).toEqual([200, 200])
  const [old, current] = await Promise.all([connect(url, first.key), connect(url, second.key)])
  await ask(Schema.Struct({ state: Schema.Literal("revoked") }), "key", "revoke", first.apiKeyId)
  expect(await statusOf(url, first.key)).toBe(401)
  expect(await old.ended(closedWithinMs)).toMatchObject({ code: 1008 })
  expect(await statusOf(url, second.key)).toBe(200)
  current.sendText(JSON.stringify({ jsonrpc: "2.0", id: "alive", method: "feed.stop", params: { feedId: "none" } }))
  expect(await current.reply("alive", closedWithinMs)).toBeDefined()
  const { keys } = await ask(Listed, "key", "list", projectId)
  expect(keys).toEqual([
    { apiKeyId: first.apiKeyId, state: "revoked" },
    { apiKeyId: second.apiKeyId, state: "active" }
  ])

  await ask(Project, "project", "update", projectId, "--allow", "none")
  const refused = await execute(url, second.key, programId)
  expect([refused.status, await refused.json()]).toMatchObject([400, { _tag: "ProgramNotAllowed" }])
  current.reset()

  const [server] = servers
  // Whatever was changed beside the server since it runs is a line of its log, and everything is kept.
  const [line = "{}"] = (await server?.until(/^.*"message":"audit".*"action":"project\.change".*$/m)) ?? []
  const { entries } = await ask(Audited, "audit")
  expect(JSON.parse(line)).toMatchObject({ fields: { at: entries[0]?.at } })
  expect(entries.map(({ action, subject }) => [action, subject])).toEqual([
    ["project.change", projectId],
    ["key.revoke", first.apiKeyId],
    ["key.rotate", first.apiKeyId],
    ["program.deploy", programId],
    ["credits.withdraw", projectId],
    ["credits.grant", projectId],
    ["credits.grant", projectId],
    ["key.issue", first.apiKeyId],
    ["project.create", projectId]
  ])
  expect(new Set(entries.map(({ by }) => by))).toEqual(new Set([userInfo().username]))
  for (const { key } of [first, second]) expect(JSON.stringify(entries)).not.toContain(key)
  expect(await server?.stop("SIGTERM")).toEqual({ code: 0, signal: null })
  expect(server?.output).not.toContain(second.key)
}

describe(`a project's life by command line on ${runtime}`, () => {
  test(
    "on SQLite",
    async () => {
      await configure({ data: "data" })
      await live()
    },
    wholeLifeMs
  )

  const skipped = whyNoPostgres === undefined ? "" : ` (skipped: ${whyNoPostgres})`
  test.skipIf(whyNoPostgres !== undefined)(
    `on PostgreSQL${skipped}`,
    async () => {
      const { password, url } = await freshPostgres()
      await writeFile(join(folder, "database"), `${url}\n`)
      await configure({ databaseFile: "database" })
      await live()
      const config = await runSibyl(["config", "--json"], { cwd: folder })
      expect(config.stdout).not.toContain(password)
      // The password is wrong: the refusal does not repeat it.
      const wrong = url.replace(password, "not-the-password")
      const refused = await runSibyl(["org", "list"], { cwd: folder, env: { SIBYL_DATABASE: wrong } })
      expect(refused.code).toBe(1)
      expect(refused.stderr).toMatch(/^sibyl: [^\n]+\n$/)
      expect(refused.stderr).not.toContain("not-the-password")
    },
    wholeLifeMs
  )
})
