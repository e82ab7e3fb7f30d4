/** One trace of a run whose program ran on an executor: a real NATS server, the processes of an edge and of an executor, a collector. */
import { readFileSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Market, startMarket } from "@sibyl/devkit/market"
import { startNats } from "@sibyl/testing"
import { Effect, Exit, Scope } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { execution } from "../crash/testdata/flatPrice.ts"
import { ownRuntime } from "../crash/testdata/site.ts"
import { type Collector, startCollector } from "../serve/testdata/collector.ts"
import { askSibyl } from "../testdata/runSibyl.ts"
import { StartedServer } from "../testdata/startedServer.ts"
import { describeNats } from "./testdata/describeNats.ts"

const priceHost = "hermes.pyth.network"
const metalsIndex = createRequire(import.meta.url).resolve("@sibyl/programs/metals-index.wasm")
const collectorToken = "collector-token-31c0d9"

describeNats("a run on an executor", () => {
  let scope: Scope.CloseableScope
  let folder: string
  let collector: Collector
  let market: Market
  const started: Array<StartedServer> = []

  beforeAll(async () => {
    scope = await Effect.runPromise(Scope.make())
    const { url } = await Effect.runPromise(Scope.extend(startNats({}), scope))
    collector = await startCollector()
    market = await startMarket({ seed: 3 })
    folder = await mkdtemp(join(tmpdir(), "sibyl-traces-"))
    const common = {
      workers: 1,
      port: 0,
      cluster: { servers: [url] },
      otlp: { endpoint: collector.url, headers: `authorization=Bearer%20${collectorToken}`, intervalMs: 100 },
      outbound: { hostOverrides: { [priceHost]: market.url } }
    }
    await writeFile(join(folder, "sibyl.json"), JSON.stringify(common))
  })
  afterAll(async () => {
    await Promise.all(started.map((one) => one.stop("SIGKILL")))
    await collector.close()
    await market.close()
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await rm(folder, { recursive: true, force: true })
  })

  const start = async (...words: ReadonlyArray<string>): Promise<StartedServer & { readonly told: Readonly<Record<string, string>> }> => {
    const server = new StartedServer(ownRuntime, [...words, "--json"], folder)
    started.push(server)
    const [line] = await server.until(/^\{"(?:url|executor)":.*\}$/m)
    return Object.assign(server, { told: JSON.parse(line) as Record<string, string> })
  }

  test("is one trace with its passes and upstream calls, of which the executor pushes its part", async () => {
    const executor = await start("executor")
    const edge = await start("serve")
    const ask = async (...words: ReadonlyArray<string>) => (await askSibyl(words, { cwd: folder })) as Readonly<Record<string, string>>
    await writeFile(join(folder, "metals.wasm"), readFileSync(metalsIndex))
    const { programId = "" } = await ask("program", "deploy", "metals.wasm")
    const { projectId = "" } = await ask("project", "create", "--org", "acme", "--name", "Traces")
    await ask("credits", "grant", projectId, "1000000")
    const { key = "" } = await ask("key", "create", projectId)
    expect(await execution(edge.told["url"] ?? "", { key, programId, inputs: "{}" })).toMatchObject({ status: 200 })
    const traceId = await expect
      .poll(() => collector.spans.find(({ name }) => name === "POST /execute" || name === "GET /execute")?.traceId, { timeout: 30_000 })
      .toBeDefined()
      .then(() => collector.spans.find(({ name }) => name.endsWith("/execute"))?.traceId)
    const own = () => collector.spans.filter((span) => span.traceId === traceId && span.name !== "sql.execute")
    const tree = () => {
      const parentOf = (id: string | undefined) => own().find(({ spanId }) => spanId === id)?.name ?? "outside"
      return new Set(own().map(({ name, parentSpanId }) => `${parentOf(parentSpanId)} > ${name}`))
    }
    const wanted = [
      "run > hold",
      "run > execute",
      "execute > executor",
      "executor > pass",
      "executor > upstream",
      "executor > tally",
      "run > sign",
      "run > settle"
    ]
    await expect.poll(() => wanted.filter((edgeOfTree) => !tree().has(edgeOfTree)), { timeout: 30_000 }).toEqual([])
    expect([...tree()].filter((edgeOfTree) => edgeOfTree.startsWith("outside")).length).toBe(1)
    for (const { output } of [executor, edge])
      for (const secret of [key.split("_")[3] ?? key, collectorToken]) expect(output).not.toContain(secret)
  })
})
