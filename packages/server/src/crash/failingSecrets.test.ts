/** While everything that a server talks to fails, no secret is in what its processes print, answer, measure or push. */
import { readFileSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { createRequire } from "node:module"
import { join } from "node:path"
import { startNats, type TestNats, whyNoPostgres } from "@sibyl/testing"
import { Effect, Exit, Scope } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { describeNats } from "../cluster/testdata/describeNats.ts"
import { type Collector, startCollector } from "../serve/testdata/collector.ts"
import { askSibyl } from "../testdata/runSibyl.ts"
import { StartedServer } from "../testdata/startedServer.ts"
import { Gate } from "./testdata/gate.ts"
import { wrongKeys } from "./testdata/requestMix.ts"
import { ownRuntime, type RunningServer, Site, type Tenant } from "./testdata/site.ts"

const upstreamHost = "hermes.pyth.network"
const cryptoPrice = createRequire(import.meta.url).resolve("@sibyl/programs/crypto-price.wasm")
const secrets = {
  upstream: "upstream-secret-0d71",
  collector: "collector-secret-7be4",
  metrics: "metrics-secret-51c9",
  natsToken: "nats-secret-a06f",
  wrongToken: "wrong-token-b2d8",
  wrongPassword: "wrong-password-3f90",
  seed: "SUAEHK53UGHKIGNYHZ2N5JIYYVE55S3ABT4UCCABZGDGIQ7VIV7NHEXZLQ",
  jwt: `eyJ0eXAiOiJKV1QifQ.${"eyJqdGkiOiJ".repeat(4)}.signature-of-the-user`
}
const credentials = `-----BEGIN NATS USER JWT-----
${secrets.jwt}
------END NATS USER JWT------

-----BEGIN USER NKEY SEED-----
${secrets.seed}
------END USER NKEY SEED------
`

describeNats("secrets of a server whose neighbours fail", () => {
  let scope: Scope.CloseableScope
  let nats: TestNats
  let collector: Collector
  let upstream: Server
  let gate: Gate | undefined
  let site: Site
  let executor: StartedServer
  let server: RunningServer
  let tenant: Tenant
  let programId: string
  const heard: Array<string> = []
  const refused: Array<StartedServer> = []

  beforeAll(async () => {
    scope = await Effect.runPromise(Scope.make())
    nats = await Effect.runPromise(Scope.extend(startNats({ configuration: `authorization { token: "${secrets.natsToken}" }` }), scope))
    collector = await startCollector()
    // Every second request gets an answer that no program can use, the others none.
    upstream = createServer((request, response) => {
      heard.push(String(request.headers["x-upstream-key"]))
      if (heard.length % 2 === 0) request.socket.destroy()
      else response.writeHead(500).end("out of order")
    })
    await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve))
    const outbound = {
      hostOverrides: { [upstreamHost]: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}` },
      hostHeaders: { [upstreamHost]: { "x-upstream-key": { file: "upstream-key" } } }
    }
    const cluster = { servers: [nats.url], token: secrets.natsToken }
    site = await Site.open(whyNoPostgres === undefined ? "PostgreSQL" : "SQLite", {
      outbound,
      cluster,
      logLevel: "debug",
      otlp: { endpoint: collector.url, headers: `authorization=Bearer%20${secrets.collector}`, intervalMs: 100 },
      metrics: { token: secrets.metrics }
    })
    if (whyNoPostgres === undefined) {
      const direct = new URL(site.database)
      gate = await Gate.before(Number(direct.port))
      direct.port = String(gate.port)
      await writeFile(join(site.folder, "database"), `${direct.href}\n`, { mode: 0o600 })
    }
    const write = (name: string, text: string) => writeFile(join(site.folder, name), text)
    await write("upstream-key", secrets.upstream)
    await write("user.creds", credentials)
    await write("executor.json", JSON.stringify({ cluster, outbound, workers: 1, logLevel: "debug" }))
    const wrong = {
      token: { token: secrets.wrongToken },
      password: { user: "edge", password: secrets.wrongPassword },
      nkeySeed: { nkeySeed: secrets.seed },
      credentialsFile: { credentialsFile: "user.creds" }
    }
    programId = await site.deploy(readFileSync(cryptoPrice))
    tenant = await site.tenant(1_000_000_000n)
    executor = new StartedServer(ownRuntime, ["executor", "--json", "--config", "executor.json"], site.folder)
    await executor.until(/^\{"executor".*\}$/m)
    server = await site.start()
    for (const [name, way] of Object.entries(wrong)) {
      await write(`${name}.json`, JSON.stringify({ cluster: { servers: [nats.url], ...way }, logLevel: "debug" }))
      refused.push(new StartedServer(ownRuntime, ["executor", "--json", "--config", `${name}.json`], site.folder))
    }
    // While NATS is there to refuse them.
    await Promise.all(refused.map((one) => one.exit))
  })
  afterAll(async () => {
    await Promise.all([executor, ...refused].map((one) => one.stop("SIGKILL")))
    await site.close()
    await gate?.close()
    upstream.closeAllConnections()
    upstream.close()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })

  const ask = async (path: string, token: string, body?: string) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
    const answer = await fetch(`${server.url}${path}`, body === undefined ? { headers } : { method: "POST", headers, body })
    return { status: answer.status, text: `${JSON.stringify([...answer.headers])}\n${await answer.text()}` }
  }
  const execInputs = `{"id":"${"0a".repeat(32)}"}`
  const execute = (key: string) => ask("/execute", key, JSON.stringify({ execProgramId: programId, includeDebugInfo: true, execInputs }))

  test("are nowhere", async () => {
    const wrong = wrongKeys(tenant.key)
    const answers = [await execute(tenant.key), await execute(tenant.key)]
    for (const key of wrong) answers.push(await execute(key))
    answers.push(await ask("/metrics", secrets.metrics), await ask("/metrics", `${secrets.metrics}x`), await ask("/ready", tenant.key))
    expect(answers.map(({ status }) => status)).toEqual(expect.arrayContaining([200, 401]))
    expect(heard).toContain(secrets.upstream)
    await expect.poll(() => collector.headers.some(({ authorization }) => authorization === `Bearer ${secrets.collector}`)).toBe(true)
    await expect.poll(() => collector.spans.some(({ name }) => name === "POST /execute"), { timeout: 30_000 }).toBe(true)
    const pushed = JSON.stringify([collector.spans, collector.records, [...collector.metrics]])
    await askSibyl(["signing-key", "export", "signing.key"], { cwd: site.folder })
    const signingKey = readFileSync(join(site.folder, "signing.key"), "utf8").trim()
    expect(signingKey).toMatch(/^[0-9a-f]{64}$/)

    await collector.close()
    await Effect.runPromise(nats.stop)
    await server.process.until(/the connection to NATS at .* is lost/)
    await server.process.until(/telemetry cannot be sent/)
    const withoutNats = [execute(tenant.key), ask("/ready", tenant.key)]
    answers.push(await ask("/metrics", secrets.metrics))
    gate?.shut()
    answers.push(...(await Promise.all([...withoutNats, execute(tenant.key), ask("/ready", tenant.key)])))
    gate?.open()
    await Effect.runPromise(nats.start)
    await Promise.all([...refused.map((one) => one.exit), server.process.stop("SIGTERM"), executor.stop("SIGTERM")])

    const places = {
      answers: answers.map(({ text }) => text),
      pushed: [pushed],
      server: [server.process.output],
      executor: [executor.output],
      refused: refused.map(({ output }) => output)
    }
    // Each refusal says so: nobody was let in, and something was printed.
    for (const text of places.refused) expect(text).toContain("does not accept these credentials")
    const keys = [tenant.key, ...wrong].map((key) => key.split("_")[3] ?? key)
    const signing = [signingKey, Buffer.from(signingKey, "hex").toString("base64"), [...Buffer.from(signingKey, "hex")].join(",")]
    const all = [...Object.values(secrets), ...keys, ...signing, site.password ?? []].flat()
    const found = Object.entries(places).flatMap(([place, texts]) =>
      all.filter((secret) => texts.some((text) => text.includes(secret))).map((secret) => `${secret}: ${place}`)
    )
    expect(found).toEqual([])
    // The search works: what is public is found in the same places.
    for (const [place, texts] of Object.entries({ ...places, refused: [] })) {
      if (place === "refused" || place === "executor") continue
      expect([place, texts.some((text) => text.includes(programId))]).toEqual([place, true])
    }
  })
})
