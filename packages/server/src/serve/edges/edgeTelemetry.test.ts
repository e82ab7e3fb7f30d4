/** The telemetry of a server with edges: each sends its own, and a collector that is slow costs runs nothing. */
import { auditPrograms } from "@sibyl/testing"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type RunningServer, Site, type Tenant } from "../../crash/testdata/site.ts"
import { type Collector, startCollector } from "../testdata/collector.ts"

let collector: Collector
let site: Site
let server: RunningServer
let tenant: Tenant
let echo: string

beforeAll(async () => {
  collector = await startCollector()
  const otlp = { endpoint: collector.url, intervalMs: 100, timeoutMs: 300 }
  site = await Site.open("SQLite", { edges: 2, workers: 2, metrics: { access: "open" }, otlp })
  echo = await site.deploy(auditPrograms.echo)
  tenant = await site.tenant(1_000_000_000n)
  server = await site.start()
})
afterAll(async () => {
  await site.close()
  await collector.close()
})

/** On a connection of its own, so that each edge gets some. */
const run = async (): Promise<number> => {
  const answer = await fetch(`${server.url}/execute?execProgramId=${echo}`, {
    headers: { authorization: `Bearer ${tenant.key}`, connection: "close" }
  })
  await answer.text()
  return answer.status
}

const until = async (what: () => unknown): Promise<void> => {
  await expect
    .poll(
      async () => {
        expect(await run()).toBe(200)
        return what()
      },
      { timeout: 60_000 }
    )
    .toBeTruthy()
}

const droppedTraces = async (): Promise<number> => {
  const metrics = await (await fetch(`${server.url}/metrics`)).text()
  return Number(/^sibyl_telemetry_items_total\{(?=.*"traces")(?=.*"dropped").*\} (\d+)/m.exec(metrics)?.[1] ?? 0)
}

test("each edge sends the runs that it answers, whole", async () => {
  await until(() => collector.senders("GET /execute").size >= 2)
  // By its id: what a collector did not acknowledge in time is sent again, though it has it.
  const requests = new Map(collector.spans.filter(({ name }) => name === "GET /execute").map(({ spanId, traceId }) => [spanId, traceId]))
  expect(new Set(requests.values()).size).toBe(requests.size)
  for (const spanId of requests.keys()) {
    const hasRun = () => collector.spans.some(({ name, parentSpanId }) => name === "run" && parentSpanId === spanId)
    await expect.poll(hasRun, { timeout: 30_000 }).toBe(true)
  }
  await until(() => collector.records.some(({ body }) => body.stringValue === "run"))
})

test("while the collector answers nothing, runs are answered, and what is dropped is counted and told", async () => {
  collector.hold()
  await until(() => server.process.output.includes("telemetry cannot be sent"))
  expect(server.process.output).toMatch(/"reason":"(6 requests wait for its answers|it does not answer in time)"/)
  await expect.poll(droppedTraces, { timeout: 60_000 }).toBeGreaterThan(0)
  expect((await fetch(`${server.url}/health`)).status).toBe(200)
}, 200_000)

test("a server whose collector answers nothing ends in time", async () => {
  expect(await run()).toBe(200)
  expect(await server.process.stop("SIGTERM")).toEqual({ code: 0, signal: null })
})
