/** `@sibyl/client` against a real server: calls, checked signatures, and feeds over connections that are cut and a server that is killed. */
import { type Client, createClient, type FeedItem, type ReportEntry, type WebSocketClass } from "@sibyl/client"
import { verify } from "@sibyl/client/verify"
import { auditPrograms } from "@sibyl/testing"
import { WebSocket } from "ws"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type RunningServer, Site, type Tenant } from "./crash/testdata/site.ts"
import { type CuttingProxy, startCuttingProxy } from "./testdata/cuttingProxy.ts"

// Node 20 has no WebSocket of its own; on Bun, the client uses Bun's.
const own = "WebSocket" in globalThis ? {} : { WebSocket: WebSocket as unknown as WebSocketClass }

let site: Site
let server: RunningServer
let proxy: CuttingProxy
let tenant: Tenant
let echo: string
let failing: string
let client: Client

beforeAll(async () => {
  site = await Site.open("SQLite", { console: false })
  echo = await site.deploy(auditPrograms.echo)
  failing = await site.deploy(auditPrograms.failing)
  tenant = await site.tenant(10_000_000n)
  server = await site.start()
  proxy = await startCuttingProxy(server.url)
  client = createClient({ url: proxy.url, auth: tenant.key, retry: { firstWaitMs: 20, maxWaitMs: 200, attempts: 50 }, ...own })
})
afterAll(async () => {
  await proxy.close()
  await site.close()
})

test("runs, is checked, quoted, found again and reported", async () => {
  const { answer, result } = await client.execute({ execProgramId: echo, execInputs: { a: [1, "two"] }, encoding: "json" })
  expect(result).toEqual({ a: [1, "two"] })
  const { keys = [], publicKey } = await client.info()
  const { drId } = answer.data.dataResult
  expect(verify(answer, { publicKey, drId, requireSuccess: true })).toMatchObject({ ok: true, drId })
  expect(verify(answer, { keys, nowMs: Date.now() })).toMatchObject({ ok: keys.length > 0 })
  const changed = { ...answer, data: { ...answer.data, dataResult: { ...answer.data.dataResult, result: "00" } } }
  expect(verify(changed, { publicKey })).toMatchObject({ ok: false, reason: "wrongSigner" })
  expect(await client.quote({ execProgramId: echo, execInputs: { a: [1, "two"] } })).toMatchObject({ drId, quote: { affordable: true } })
  expect((await client.lastResult({ execProgramId: echo, execInputs: { a: [1, "two"] } })).answer.data.signature).toBe(
    answer.data.signature
  )
  await client.execute({ execProgramId: echo, execInputs: { a: [1, "two"] } })
  const entries: Array<ReportEntry> = []
  for await (const { data } of client.reports({ drId, amount: 1 })) entries.push(...data)
  expect(entries.map((entry) => [entry.source, verify(entry, { publicKey }).ok])).toEqual([
    ["rest", true],
    ["rest", true]
  ])
  expect(await client.project()).toMatchObject({ projectId: tenant.projectId, allowedPrograms: null })
})

test("a console that is switched off is not there, nor anything of it", async () => {
  const statuses = ["", "/main.js", "/main.css", "/examples.json"].map(async (path) => (await fetch(`${server.url}/console${path}`)).status)
  expect(await Promise.all(statuses)).toEqual([404, 404, 404, 404])
})

test("says what the service refuses, and what failed", async () => {
  await expect(client.execute({ execProgramId: failing, includeDebugInfo: true })).rejects.toMatchObject({
    _tag: "FailedExecutionResponse",
    data: { dataResult: { exitCode: 3 }, execute: { stderr: expect.stringContaining("boom") } }
  })
  await expect(client.execute({ execProgramId: "f".repeat(64) })).rejects.toMatchObject({ _tag: "ProgramNotFound", status: 404 })
  await expect(client.execute({ execProgramId: echo, encoding: "xml" as "hex" })).rejects.toMatchObject({
    _tag: "InvalidParameter",
    details: { parameter: "encoding" }
  })
  await expect(createClient({ url: server.url, auth: "sibyl_testnet_wrong" }).project()).rejects.toMatchObject({ _tag: "Unauthorized" })
})

test("a call whose connection is cut is made again, and charged once", async () => {
  const before = await client.project()
  const inputs = { cut: 1 }
  const calls = Array.from({ length: 5 }, (_, n) =>
    client.execute({ execProgramId: echo, execInputs: { ...inputs, n }, includeSummary: true })
  )
  proxy.cut()
  const answers = await Promise.all(calls)
  const spent = answers.reduce((sum, { answer }) => sum + BigInt(answer.data.summary?.creditsUsed ?? 0), 0n)
  const after = await client.project()
  expect(BigInt(after.credits.used) - BigInt(before.credits.used)).toBe(spent)
})

/** The items of a loop, and what waits until one of them fits. */
const collect = (items: AsyncIterable<FeedItem<unknown>>) => {
  const seen: Array<FeedItem<unknown>> = []
  const control = { isOver: false }
  const done = (async () => {
    for await (const item of items) {
      seen.push(item)
      if (control.isOver) break
    }
  })()
  const until = (fits: (items: ReadonlyArray<FeedItem<unknown>>) => boolean) =>
    expect.poll(() => fits(seen), { timeout: 30_000, interval: 10 }).toBe(true)
  return {
    seen,
    until,
    stop: async () => {
      control.isOver = true
      await done
    }
  }
}

const results = (items: ReadonlyArray<FeedItem<unknown>>) => items.filter(({ kind }) => kind === "result")

test("a feed goes on after its connection is cut, and says the gap", async () => {
  const ticketed = createClient({
    url: proxy.url,
    auth: async () => (await client.ticket({ allow: ["feeds"], programs: [echo] })).ticket,
    retry: { firstWaitMs: 20, maxWaitMs: 200 },
    ...own
  })
  const loop = collect(ticketed.feed({ execute: { execProgramId: echo, execInputs: "tick" }, mode: "SEQUENTIAL", periodicityMs: 20 }))
  await loop.until((items) => results(items).length >= 3)
  proxy.cut()
  const { length } = loop.seen
  await loop.until((items) => results(items.slice(length)).length >= 3)
  await loop.stop()
  const gap = loop.seen.findIndex(({ kind }) => kind === "gap")
  const [before, after] = [loop.seen.slice(0, gap), loop.seen.slice(gap + 1)]
  expect(loop.seen[gap]).toMatchObject({ why: "reconnected", feedId: before[0]?.feedId, from: { seq: before.length } })
  for (const part of [before, after]) expect(part).toEqual(part.map((_, seq) => expect.objectContaining({ kind: "result", seq })))
})

test("a durable feed loses nothing, with cut connections and a server that is killed", async () => {
  const { feedId } = await client.addFeed({ execute: { execProgramId: echo, execInputs: "durable" }, mode: "FIXED", periodicityMs: 50 })
  expect(await client.feeds()).toMatchObject([{ feedId, mode: "FIXED" }])
  const loop = collect(client.feed({ feedId }))
  for (const count of [3, 6, 9]) {
    await loop.until((items) => results(items).length >= count)
    proxy.cut()
  }
  await server.process.stop("SIGKILL")
  server = await site.start()
  proxy.pointAt(server.url)
  await loop.until((items) => results(items).length >= 20)
  await client.removeFeed(feedId)
  await loop.stop()
  const places = loop.seen.map((item) => (item.kind === "gap" ? item : { epoch: item.epoch, seq: item.seq }))
  const [first] = places
  expect(places).toEqual(
    places.map((_, index) => ({ epoch: (first as { epoch: number }).epoch, seq: (first as { seq: number }).seq + index }))
  )
})
