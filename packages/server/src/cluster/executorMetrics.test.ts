/** What executors measure: added to the server's own where `sibyl cluster` starts them, and on a port of their own otherwise. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { auditPrograms, startNats } from "@sibyl/testing"
import { Effect, Exit, Scope } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { executions } from "../crash/testdata/flatPrice.ts"
import { ownRuntime, type RunningServer, Site } from "../crash/testdata/site.ts"
import { StartedServer } from "../testdata/startedServer.ts"
import { describeNats } from "./testdata/describeNats.ts"

const priceInputs = { id: "e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43", output_format: "json" }
const inTime = { timeout: 60_000 }
const upstreams = `sibyl_upstream_requests_total{host="hermes.pyth.network",outcome="2xx"}`

/** What `sibyl executor` says of itself. */
interface Told {
  readonly executor: string
  readonly metrics?: string
}

interface Announced {
  readonly url: string
  readonly metrics: string
  readonly executors: ReadonlyArray<number>
  readonly demo: { readonly cryptoPriceId: string; readonly keyFile: string }
}

describeNats("the metrics of executors", () => {
  let scope: Scope.CloseableScope
  let folder: string
  let natsUrl: string
  let server: StartedServer
  let site: Site
  let edge: RunningServer
  let echo: string
  let key: string
  let shown: Told
  const executors: Array<StartedServer> = []
  let announced: Announced

  const startExecutor = async (configuration: object): Promise<Told> => {
    const file = join(folder, `executor${executors.length}.json`)
    await writeFile(file, JSON.stringify(configuration))
    const started = new StartedServer(ownRuntime, ["executor", "--json", "--config", file], folder)
    executors.push(started)
    const [told] = await started.until(/^\{"executor":.*\}$/m)
    return JSON.parse(told) as Told
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "sibyl-executor-metrics-"))
    scope = await Effect.runPromise(Scope.make())
    const { url } = await Effect.runPromise(Scope.extend(startNats(), scope))
    natsUrl = url
    server = new StartedServer(ownRuntime, ["cluster", "--cluster", url, "--executors", "2", "--demo", "--json", "--port", "0"], folder)
    const [line] = await server.until(/^\{"url":.*\}$/m)
    announced = JSON.parse(line) as Announced
    // Of another net, so that it takes no work from the others; this one shows what it measures.
    const cluster = { servers: [url], net: "other" }
    shown = await startExecutor({ workers: 1, cluster, metrics: { access: "open", port: 0 } })
    site = await Site.open("SQLite", { cluster, metrics: { access: "open" } })
    echo = await site.deploy(auditPrograms.echo)
    key = (await site.tenant(1_000_000n)).key
    edge = await site.start()
  })
  afterAll(async () => {
    await site?.close()
    await Promise.all(executors.map((one) => one.stop("SIGTERM")))
    await server?.stop("SIGTERM")
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await rm(folder, { recursive: true, force: true })
  })

  const scraped = async (url: string, name: string): Promise<number> => {
    const lines = (await (await fetch(url)).text()).split("\n")
    return Number(lines.find((one) => one.startsWith(`${name} `))?.slice(name.length + 1) ?? 0)
  }

  /** On a slow machine a scrape may be without an executor that is only late, and then shows less; never more. */
  const most = async (name: string): Promise<number> => {
    const scrapes = [await scraped(announced.metrics, name), await scraped(announced.metrics, name), await scraped(announced.metrics, name)]
    return Math.max(...scrapes)
  }

  const run = async (): Promise<number> => {
    const authorization = `Bearer ${(await readFile(announced.demo.keyFile, "utf8")).trim()}`
    const body = JSON.stringify({ execProgramId: announced.demo.cryptoPriceId, execInputs: priceInputs })
    const headers = { authorization, "content-type": "application/json" }
    return (await fetch(`${announced.url}/execute?noPrefetch=true`, { method: "POST", body, headers })).status
  }

  test("of `sibyl cluster` are in one scrape: each request to an upstream is counted once, where it is made", async () => {
    const before = await most(upstreams)
    const runs = await scraped(announced.metrics, `sibyl_runs_total{outcome="success",program="${announced.demo.cryptoPriceId}"}`)
    for (let n = 0; n < 6; n++) expect(await run()).toBe(200)
    await expect.poll(() => scraped(announced.metrics, upstreams), inTime).toBe(before + 6)
    const after = await scraped(announced.metrics, `sibyl_runs_total{outcome="success",program="${announced.demo.cryptoPriceId}"}`)
    expect(after - runs).toBe(6)
    await expect.poll(() => scraped(announced.metrics, `sibyl_phase_passes_count{phase="exec"}`), inTime).toBeGreaterThanOrEqual(6)
    // The server counts executors, not their threads too.
    await expect.poll(() => scraped(announced.metrics, "sibyl_workers_ready"), inTime).toBe(2)
  })

  test("of one that is frozen are left out, and the scrape is answered without them", async () => {
    const memory = () => scraped(announced.metrics, "process_resident_memory_bytes")
    const all = await most("process_resident_memory_bytes")
    const [, second = 0] = announced.executors
    process.kill(second, "SIGSTOP")
    const without = await memory().finally(() => process.kill(second, "SIGCONT"))
    expect(without).toBeGreaterThan(0)
    expect(without).toBeLessThan(all)
  })

  test("of one that is killed are left out from then on", async () => {
    const [first = 0] = announced.executors
    process.kill(first, "SIGKILL")
    // Whether or not its end was noticed.
    expect((await fetch(announced.metrics)).status).toBe(200)
    await server.until(/executor 1 ended with signal SIGKILL/)
    expect((await fetch(announced.metrics)).status).toBe(200)
    expect(await run()).toBe(200)
  })

  test("of `sibyl executor` are on the port that was asked for, and count what it ran", async () => {
    const url = shown.metrics ?? ""
    const passes = `sibyl_phase_passes_count{phase="exec"}`
    const offeredAgain = async (): Promise<number> => {
      const counts = ["lost", "full", "silent"].map((reason) =>
        scraped(`${edge.url}/metrics`, `sibyl_executor_retries_total{reason="${reason}"}`)
      )
      return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
    }
    const [before, againBefore] = [await scraped(url, passes), await offeredAgain()]
    const answers = await executions([edge.url], 7, { key, programId: echo })
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    // On a busy machine, a run may be offered once more, and then pass twice.
    const more = (await scraped(url, passes)) - before - 7
    expect(more).toBeGreaterThanOrEqual(0)
    expect(more).toBeLessThanOrEqual((await offeredAgain()) - againBefore)
    // A busy machine may be replacing it.
    await expect.poll(() => scraped(url, "sibyl_workers_ready")).toBe(1)
    expect((await fetch(new URL("/", url))).status).toBe(404)
  })

  test("are nowhere where nobody asked for them", async () => {
    expect(await startExecutor({ workers: 1, cluster: { servers: [natsUrl], net: "third" } })).not.toHaveProperty("metrics")
  })
})
