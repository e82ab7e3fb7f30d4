/** What a collector receives of a server, what the server logs, and that a collector that is away changes nothing. */
import { createRequire } from "node:module"
import { startMarket } from "@sibyl/devkit/market"
import { auditPrograms, dial } from "@sibyl/testing"
import { readFileSync } from "node:fs"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type RunningServer, Site, type Tenant } from "../crash/testdata/site.ts"
import { attributesOf, type Collector, type ReceivedSpan, startCollector } from "./testdata/collector.ts"

const priceHost = "hermes.pyth.network"
const metalsIndex = createRequire(import.meta.url).resolve("@sibyl/programs/metals-index.wasm")
const collectorToken = "collector-token-8f2c61"
const outside = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" }

let collector: Collector
let market: Awaited<ReturnType<typeof startMarket>>
let site: Site
let server: RunningServer
let tenant: Tenant
let metals: string
let echo: string

beforeAll(async () => {
  collector = await startCollector()
  market = await startMarket({ seed: 1 })
  site = await Site.open("SQLite", {
    outbound: { hostOverrides: { [priceHost]: market.url } },
    otlp: { endpoint: collector.url, headers: `authorization=Bearer%20${collectorToken}`, intervalMs: 100, traceHosts: [priceHost] },
    logLevels: { upstreams: "debug" },
    workers: 1
  })
  metals = await site.deploy(readFileSync(metalsIndex))
  echo = await site.deploy(auditPrograms.echo)
  tenant = await site.tenant(1_000_000_000n)
  server = await site.start()
})
afterAll(async () => {
  await site.close()
  await market.close()
  await collector.close()
})

const run = async (execProgramId: string, headers: Readonly<Record<string, string>> = {}): Promise<number> => {
  const answer = await fetch(`${server.url}/execute`, {
    method: "POST",
    headers: { authorization: `Bearer ${tenant.key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ execProgramId, execInputs: "{}" })
  })
  await answer.text()
  return answer.status
}

const until = <A>(found: () => A | undefined): Promise<A> =>
  expect
    .poll(found, { timeout: 30_000 })
    .toBeDefined()
    .then(() => found() as A)

const named = (spans: ReadonlyArray<ReceivedSpan>, name: string): ReadonlyArray<ReceivedSpan> => spans.filter((span) => span.name === name)

const logLines = (): ReadonlyArray<Record<string, unknown>> =>
  server.process.output
    .split("\n")
    .filter((line) => line.startsWith('{"time"'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)

test("a run with its upstream calls is one trace, inside of the caller's", async () => {
  expect(await run(metals, { traceparent: `00-${outside.traceId}-${outside.spanId}-01` })).toBe(200)
  const spans = () => collector.spans.filter(({ traceId }) => traceId === outside.traceId)
  const request = await until(() => named(spans(), "POST /execute")[0])
  const parentOf = (span: ReceivedSpan): string => spans().find(({ spanId }) => spanId === span.parentSpanId)?.name ?? "outside"
  // Statements are below whatever asks the database.
  const own = () => spans().filter(({ name }) => name !== "sql.execute")
  const tree = () => [...new Set(own().map((span) => `${parentOf(span)} > ${span.name}`))].toSorted()
  // Batches are sent side by side: a child may arrive after its parent.
  await expect
    .poll(tree, { timeout: 30_000 })
    .toEqual(
      [
        "outside > POST /execute",
        "POST /execute > run",
        "POST /execute > deliver",
        "run > hold",
        "run > execute",
        "execute > pass",
        "execute > upstream",
        "execute > tally",
        "run > sign",
        "run > settle"
      ].toSorted()
    )
  expect(request).toMatchObject({ parentSpanId: outside.spanId, kind: 2 })
  expect(attributesOf(request)).toMatchObject({ "http.route": "/execute", "http.request.method": "POST", "http.response.status_code": 200 })
  const upstreams = await until(() => {
    const found = named(spans(), "upstream")
    return found.length > 0 && found.length === market.requests().length ? found : undefined
  })
  for (const upstream of upstreams) {
    expect(upstream.kind).toBe(3)
    const { "http.response.body.size": size, ...facts } = attributesOf(upstream)
    expect(facts).toEqual({
      "http.request.method": "GET",
      "server.address": priceHost,
      "url.scheme": "https",
      "http.response.status_code": 200
    })
    expect(Number(size)).toBeGreaterThan(0)
  }
  await expect.poll(() => named(spans(), "pass").length, { timeout: 30_000 }).toBe(upstreams.length + 1)
  for (const { endTimeUnixNano, startTimeUnixNano } of spans()) {
    expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano))
  }
  expect(collector.headers[0]?.authorization).toBe(`Bearer ${collectorToken}`)
})

test("an upstream that is listed is told the trace, by the span of its own call", async () => {
  const told = market.requests().map(({ headers }) => /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/.exec(headers["traceparent"] ?? ""))
  expect(told.length).toBeGreaterThan(0)
  const spans = await until(() =>
    named(collector.spans, "upstream").length >= told.length ? named(collector.spans, "upstream") : undefined
  )
  for (const [, traceId, spanId] of told.map((match) => match ?? [])) {
    expect(traceId).toBe(outside.traceId)
    expect(spans.map((span) => span.spanId)).toContain(spanId)
  }
})

test("a part of the log has its own level: upstreams are told one by one, prefetches are not", async () => {
  expect(await run(metals)).toBe(200)
  const ofPart = (part: string) => logLines().filter(({ fields }) => (fields as { readonly part?: string } | undefined)?.part === part)
  const line = await until(() => ofPart("upstreams")[0])
  expect(line).toMatchObject({
    level: "debug",
    message: "upstream",
    fields: { method: "GET", host: priceHost, status: 200, bytes: expect.any(Number), ms: expect.any(Number) }
  })
  await until(() => ofPart("runs")[0])
  expect(
    logLines().filter(({ fields, level }) => level === "debug" && (fields as { readonly part?: string })?.part !== "upstreams")
  ).toEqual([])
  await until(() => collector.records.find(({ body }) => body.stringValue === "upstream"))
  expect(collector.records.filter(({ body }) => body.stringValue?.startsWith("prefetched"))).toEqual([])
})

test("a malformed traceparent begins a trace of our own, and what a caller does not record is not recorded", async () => {
  const unsampled = "af7651916cd43dd8448eb211c80319c4"
  const before = collector.spans.length
  expect(await run(echo, { traceparent: `00-${unsampled}-${outside.spanId}-00` })).toBe(200)
  expect(await run(echo, { traceparent: `00-${"0".repeat(32)}-${outside.spanId}-01` })).toBe(200)
  const later = await until(() =>
    named(collector.spans.slice(before), "POST /execute").find(({ parentSpanId }) => parentSpanId === undefined)
  )
  expect(later.traceId).toMatch(/^[0-9a-f]{32}$/)
  expect(collector.spans.filter(({ traceId }) => traceId === unsampled)).toEqual([])
  // Its lines have the caller's trace all the same.
  expect(await until(() => logLines().find(({ message, trace_id: id }) => message === "run" && id === unsampled))).toMatchObject({
    level: "info"
  })
})

test.each([
  ["a feed", {}],
  ["a shared feed", { share: true }]
])(
  "a tick of %s is a trace of its own, linked to the request that started it",
  async (_what, sharing) => {
    const spansBefore = collector.spans.length
    const { client } = await dial({ url: `${server.url}/ws/v1`, headers: { authorization: `Bearer ${tenant.key}` } })
    if (client === undefined) throw new Error("no WebSocket")
    const start = { execute: { execProgramId: echo }, periodicityMs: 50, mode: "FIXED", ...sharing }
    client.sendText(JSON.stringify({ jsonrpc: "2.0", id: "start", method: "feed.start", params: start }))
    await client.until(() => (client.messages.filter(({ json }) => json["method"] === "feed.result").length >= 3 ? true : undefined))
    await client.bye()
    const begun = await until(() => named(collector.spans.slice(spansBefore), "feed.start")[0])
    // Ticks of the feed before this one may still arrive.
    const ticks = await until(() => {
      const found = named(collector.spans, "feed.tick").filter(({ links }) => links.some(({ spanId }) => spanId === begun.spanId))
      return found.length >= 3 ? found : undefined
    })
    expect(new Set(ticks.map(({ traceId }) => traceId)).size).toBe(ticks.length)
    const starts = named(collector.spans, "feed.start").map(({ spanId }) => spanId)
    for (const { links } of named(collector.spans, "feed.tick")) expect(starts).toContain(links[0]?.spanId)
    for (const tick of ticks.slice(0, 3)) {
      expect(tick.parentSpanId).toBeUndefined()
      expect(tick.links).toMatchObject([{ traceId: begun.traceId, spanId: begun.spanId }])
      const inside = () => collector.spans.filter(({ parentSpanId }) => parentSpanId === tick.spanId).map(({ name }) => name)
      await expect.poll(inside, { timeout: 30_000 }).toEqual(expect.arrayContaining(["run", "deliver"]))
    }
    expect(collector.spans.filter(({ name, parentSpanId }) => name === "sql.execute" && parentSpanId === undefined)).toEqual([])
    // Of the successful runs of all feeds, the first is a line; these are too few for a second one. A run that was in flight when its client
    // left was interrupted, and may have a line of its own.
    const fields = logLines().flatMap((line) =>
      line.message === "run" ? [line.fields as { readonly source: string; readonly outcome: string }] : []
    )
    expect(fields.filter(({ outcome, source }) => source === "feed" && outcome === "success")).toHaveLength(1)
  },
  60_000
)

test("a tick of a durable feed is a trace of its own, linked to the request that created it", async () => {
  const headers = { authorization: `Bearer ${tenant.key}`, "content-type": "application/json" }
  const body = JSON.stringify({ execute: { execProgramId: echo }, periodicityMs: 50, mode: "FIXED" })
  const created = await fetch(`${server.url}/feeds`, { method: "POST", headers, body })
  const { feedId } = (await created.json()) as { readonly feedId: string }
  try {
    const begun = await until(() => named(collector.spans, "POST /feeds")[0])
    const ticks = await until(() => {
      const found = named(collector.spans, "feed.tick").filter(({ links }) => links.some(({ spanId }) => spanId === begun.spanId))
      return found.length >= 3 ? found : undefined
    })
    expect(new Set(ticks.map(({ traceId }) => traceId)).size).toBe(ticks.length)
    for (const tick of ticks.slice(0, 3)) {
      expect(tick.parentSpanId).toBeUndefined()
      expect(tick.links).toMatchObject([{ traceId: begun.traceId, spanId: begun.spanId }])
    }
  } finally {
    await fetch(`${server.url}/feeds/${feedId}`, { method: "DELETE", headers })
  }
})

test("metrics and logs arrive too, the log is lines of JSON with the trace, and none has a key", async () => {
  await until(() => collector.metrics.get(`sibyl_runs_total{success,${metals}}`))
  await until(() => ((collector.metrics.get("sibyl_telemetry_items_total{traces,sent}") ?? 0) > 0 ? true : undefined))
  const record = await until(() => collector.records.find(({ body, traceId }) => body.stringValue === "run" && traceId === outside.traceId))
  expect(attributesOf(record)).toMatchObject({ outcome: "success", program_id: metals })
  const hostile = `\u001b[2J\u009b31m\u202e${tenant.key}`
  await fetch(`${server.url}/execute?execProgramId=${encodeURIComponent(hostile)}`, { headers: { authorization: `Bearer ${tenant.key}` } })
  const lines = logLines()
  expect(lines.find(({ message, trace_id: id }) => message === "request" && id === outside.traceId)).toMatchObject({
    level: "info",
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    span_id: expect.stringMatching(/^[0-9a-f]{16}$/),
    fields: { method: "POST", route: "/execute", status: 200 }
  })
  const secret = tenant.key.split("_")[3] ?? tenant.key
  const told = [server.process.output, JSON.stringify(collector.records), JSON.stringify(collector.spans)]
  for (const text of told) for (const hidden of [secret, collectorToken]) expect(text).not.toContain(hidden)
  expect(server.process.output).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
})

test("without its collector the server runs as before, says so once, and ends in time", async () => {
  await collector.close()
  for (let count = 0; count < 20; count++) expect(await run(echo)).toBe(200)
  await until(() => logLines().find(({ message }) => String(message).startsWith("telemetry cannot be sent")))
  expect(logLines().filter(({ message }) => String(message).startsWith("telemetry cannot be sent")).length).toBe(1)
  expect(await server.process.stop("SIGTERM")).toEqual({ code: 0, signal: null })
})
