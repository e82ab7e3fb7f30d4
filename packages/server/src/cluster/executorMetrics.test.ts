/** What executors measure: added to the server's own where `sibyl cluster` starts them, and on a port of their own otherwise. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startNats } from "@sibyl/testing"
import { Effect, Exit, Scope } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { ownRuntime } from "../crash/testdata/site.ts"
import { StartedServer } from "../testdata/startedServer.ts"
import { describeNats } from "./testdata/describeNats.ts"

const priceInputs = { id: "e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43", output_format: "json" }
const upstreams = `sibyl_upstream_requests_total{host="hermes.pyth.network",outcome="2xx"}`

interface Announced {
  readonly url: string
  readonly metrics: string
  readonly executors: ReadonlyArray<number>
  readonly demo: { readonly cryptoPriceId: string; readonly keyFile: string }
}

describeNats("the metrics of executors", () => {
  let scope: Scope.CloseableScope
  let folder: string
  let server: StartedServer
  let own: StartedServer
  let announced: Announced
  let metricsOfOwn: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "sibyl-executor-metrics-"))
    scope = await Effect.runPromise(Scope.make())
    const { url } = await Effect.runPromise(Scope.extend(startNats(), scope))
    server = new StartedServer(ownRuntime, ["cluster", "--cluster", url, "--executors", "2", "--demo", "--json", "--port", "0"], folder)
    const [line] = await server.until(/^\{"url":.*\}$/m)
    announced = JSON.parse(line) as Announced
    // Of another net, so that it takes no work from the others.
    const config = join(folder, "executor.json")
    await writeFile(config, JSON.stringify({ workers: 1, cluster: { servers: [url], net: "other" }, metrics: { access: "open", port: 0 } }))
    own = new StartedServer(ownRuntime, ["executor", "--json", "--config", config], folder)
    const [told] = await own.until(/^\{"executor":.*\}$/m)
    metricsOfOwn = (JSON.parse(told) as { readonly metrics: string }).metrics
  }, 120_000)
  afterAll(async () => {
    await own?.stop("SIGTERM")
    await server?.stop("SIGTERM")
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await rm(folder, { recursive: true, force: true })
  }, 60_000)

  const scraped = async (url: string, name: string): Promise<number> => {
    const lines = (await (await fetch(url)).text()).split("\n")
    return Number(lines.find((one) => one.startsWith(`${name} `))?.slice(name.length + 1) ?? 0)
  }

  const run = async (): Promise<number> => {
    const authorization = `Bearer ${(await readFile(announced.demo.keyFile, "utf8")).trim()}`
    const body = JSON.stringify({ execProgramId: announced.demo.cryptoPriceId, execInputs: priceInputs })
    const headers = { authorization, "content-type": "application/json" }
    return (await fetch(`${announced.url}/execute?noPrefetch=true`, { method: "POST", body, headers })).status
  }

  test("of `sibyl cluster` are in one scrape: each request to an upstream is counted once, where it is made", async () => {
    const before = await scraped(announced.metrics, upstreams)
    const runs = await scraped(announced.metrics, `sibyl_runs_total{outcome="success",program="${announced.demo.cryptoPriceId}"}`)
    for (let n = 0; n < 6; n++) expect(await run()).toBe(200)
    expect((await scraped(announced.metrics, upstreams)) - before).toBe(6)
    const after = await scraped(announced.metrics, `sibyl_runs_total{outcome="success",program="${announced.demo.cryptoPriceId}"}`)
    expect(after - runs).toBe(6)
    expect(await scraped(announced.metrics, `sibyl_phase_passes_count{phase="exec"}`)).toBeGreaterThanOrEqual(6)
    // The server counts executors, not their threads too.
    expect(await scraped(announced.metrics, "sibyl_workers_ready")).toBe(2)
  }, 60_000)

  test("of one that is killed are left out, and the scrape goes on", async () => {
    const [first = 0] = announced.executors
    process.kill(first, "SIGKILL")
    await server.until(/executor 1 ended with signal SIGKILL/)
    expect((await fetch(announced.metrics)).status).toBe(200)
    expect(await run()).toBe(200)
  }, 60_000)

  test("of `sibyl executor` are on the port that was asked for", async () => {
    expect((await fetch(metricsOfOwn)).status).toBe(200)
    expect(await scraped(metricsOfOwn, "process_resident_memory_bytes")).toBeGreaterThan(0)
    expect((await fetch(new URL("/", metricsOfOwn))).status).toBe(404)
  })
})
