/** The real server while its database is locked or unreachable: it reports that at once, refuses with 503, and recovers afterwards. */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { SqlClient } from "@effect/sql/SqlClient"
import { layerSqlite } from "@sibyl/sql"
import { auditPrograms, dial } from "@sibyl/testing"
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { afterEach, expect, test } from "vitest"
import { sqliteFileOf } from "../service/stores.ts"
import { Gate } from "./testdata/gate.ts"
import { type DatabaseKind, describeKinds, type RunningServer, Site, type Tenant } from "./testdata/site.ts"

let site: Site | undefined
let gate: Gate | undefined

afterEach(async () => {
  await site?.close()
  await gate?.close()
})

/** Makes the database unreachable; the result makes it reachable again. */
type MakeUnreachable = () => Promise<() => Promise<void>>

/** Another process's write lock on the file. */
const lockFile =
  (filename: string): MakeUnreachable =>
  async () => {
    const scope = await Effect.runPromise(Scope.make())
    const taken = Effect.gen(function* () {
      const sql = Context.get(yield* Layer.build(layerSqlite({ filename })), SqlClient)
      const connection = yield* sql.reserve
      const say = (words: string) => Effect.orDie(connection.executeUnprepared(words, [], undefined))
      yield* Effect.acquireRelease(say("BEGIN IMMEDIATE"), () => say("COMMIT"))
    })
    await Effect.runPromise(Scope.extend(taken, scope))
    return () => Effect.runPromise(Scope.close(scope, Exit.void))
  }

/** A network that drops everything. */
const shutGate: MakeUnreachable = async () => {
  gate?.shut()
  return async () => gate?.open()
}

const prepare = async (kind: DatabaseKind): Promise<MakeUnreachable> => {
  site = await Site.open(kind)
  if (kind === "SQLite") return lockFile(sqliteFileOf(Redacted.make(site.database)) ?? "")
  const direct = new URL(site.database)
  gate = await Gate.before(Number(direct.port))
  direct.port = String(gate.port)
  await writeFile(join(site.folder, "database"), `${direct.href}\n`, { mode: 0o600 })
  return shutGate
}

const statusOf = async (url: string, init: RequestInit = {}) => {
  const startedMs = performance.now()
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(60_000) })
  const json: unknown = await response.json()
  return { status: response.status, json, retryAfter: response.headers.get("retry-after"), ms: performance.now() - startedMs }
}

const execute = ({ url }: RunningServer, { key }: Tenant, programId: string) =>
  statusOf(`${url}/execute?execProgramId=${programId}`, { headers: { authorization: `Bearer ${key}` } })

const text = "the database cannot be reached now; try again"

describeKinds("a database that is unreachable for a while", (kind) => {
  test("charges no client and is reported at once", async () => {
    const makeUnreachable = await prepare(kind)
    if (site === undefined) throw new Error("no site")
    const tenant = await site.tenant(1_000_000n)
    const programId = await site.deploy(auditPrograms.echo)
    const server = await site.start()
    // A part that has not answered within 800 ms is unready, which a busy machine may need at first.
    await expect.poll(() => statusOf(`${server.url}/ready`).then(({ status }) => status), { timeout: 30_000 }).toBe(200)
    expect((await execute(server, tenant, programId)).status).toBe(200)
    const headers = { authorization: `Bearer ${tenant.key}` }
    const { client } = await dial({ url: `${server.url}/ws/v1`, headers })
    await client?.until(() => client.messages[0])

    const restore = await makeUnreachable()
    const refused = execute(server, tenant, programId)
    client?.sendText(JSON.stringify({ jsonrpc: "2.0", id: "1", method: "feed.execute", params: { execProgramId: programId } }))
    // An answer of `/ready` is reused for half a second.
    await expect.poll(() => statusOf(`${server.url}/ready`).then(({ status }) => status)).toBe(503)
    const unready = await statusOf(`${server.url}/ready`)
    expect(unready).toMatchObject({ status: 503, retryAfter: "1", json: { status: "unready", checks: { database: "failed" } } })
    // Bounds at ten times the stated ones.
    expect(unready.ms).toBeLessThan(10_000)
    for (let at = 0; at < 20; at += 1) {
      const health = await statusOf(`${server.url}/health`)
      expect(health.status).toBe(200)
      expect(health.ms).toBeLessThan(2_500)
    }
    expect(await refused).toMatchObject({ status: 503, retryAfter: "1", json: { _tag: "Unavailable", message: text } })
    expect((await client?.reply("1", 60_000))?.json).toMatchObject({ error: { _tag: "Unavailable", code: 36054 } })

    await restore()
    await expect.poll(() => statusOf(`${server.url}/ready`).then(({ status }) => status), { timeout: 30_000 }).toBe(200)
    await expect.poll(() => execute(server, tenant, programId).then(({ status }) => status), { timeout: 60_000 }).toBe(200)
    const project = await statusOf(`${server.url}/project`, { headers })
    expect(project.json).toMatchObject({ credits: { held: "0" } })
    client?.reset()
    expect(await server.process.stop("SIGTERM")).toEqual({ code: 0, signal: null })
  })
})
