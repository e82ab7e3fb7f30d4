/** A server's metrics, as an operator reads them: what they count is what a load has done, exactly. */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { auditPrograms, dial, type WireClient } from "@sibyl/testing"
import { callingProgram } from "@sibyl/testing/wasm"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type RunningServer, Site, type Tenant } from "../../crash/testdata/site.ts"
import { flatPrice } from "../../crash/testdata/flatPrice.ts"

const host = "prices.example"
const token = "metrics-are-not-for-everyone"

let site: Site
let upstream: Server
let server: RunningServer
let rich: Tenant
let poor: Tenant
const programs: Record<"echo" | "failing" | "fetching" | "missing", string> = {
  echo: "",
  failing: "",
  fetching: "",
  missing: "f".repeat(64)
}

const fetching = callingProgram([{ kind: "fetch", url: `https://${host}/` }])

/** Answers a price, then an error, in turns. */
const startUpstream = (): Promise<Server> => {
  let asked = 0
  const started = createServer((_request, response) => {
    asked += 1
    response.writeHead(asked % 2 === 1 ? 200 : 503).end("four")
  })
  return new Promise((resolve) => {
    started.listen(0, "127.0.0.1", () => resolve(started))
  })
}

beforeAll(async () => {
  upstream = await startUpstream()
  const origin = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`
  site = await Site.open("SQLite", {
    ...flatPrice.configuration,
    limits: { ...flatPrice.configuration.limits, httpPrefetches: 0 },
    outbound: { hostOverrides: { [host]: origin } },
    metrics: { token }
  })
  programs.echo = await site.deploy(auditPrograms.echo)
  programs.failing = await site.deploy(auditPrograms.failing)
  programs.fetching = await site.deploy(fetching)
  rich = await site.tenant(1_000_000n)
  poor = await site.tenant(flatPrice.credits)
  server = await site.start()
})
afterAll(async () => {
  await site.close()
  upstream.close()
})

const scrape = (given = token): Promise<Response> =>
  fetch(`${server.url}/metrics`, given === "" ? {} : { headers: { authorization: `Bearer ${given}` } })

/** Every series by its name and labels. */
const series = async (): Promise<ReadonlyMap<string, number>> => {
  const text = await (await scrape()).text()
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))]))
}

/** What was counted between two scrapes. */
const grown = (before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>, names: ReadonlyArray<string>) =>
  Object.fromEntries(names.map((name) => [name, (after.get(name) ?? 0) - (before.get(name) ?? 0)]))

const connected = async (): Promise<WireClient> => {
  const { client } = await dial({ url: `${server.url}/ws/v1`, headers: { authorization: `Bearer ${rich.key}` } })
  if (client === undefined) throw new Error("no WebSocket")
  await client.until(() => client.messages[0])
  return client
}

const request = (client: WireClient, id: string, method: string, params: object): void =>
  client.sendText(JSON.stringify({ jsonrpc: "2.0", id, method, params }))

const feedIdOf = (client: WireClient, startId: string): string => {
  const reply = client.messages.find(({ json }) => json["id"] === startId)
  return (reply?.json["result"] as { readonly feedId: string } | undefined)?.feedId ?? "none"
}

const resultsIn = (client: WireClient): number => client.messages.filter(({ json }) => json["method"] === "feed.result").length

test("counts requests, runs by outcome, credits and upstream requests exactly as a load made them", async () => {
  const { echo, failing, fetching: fetcher, missing } = programs
  const before = await series()
  const run = async (execProgramId: string, { key } = rich): Promise<number> => {
    const answer = await fetch(`${server.url}/execute`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      // A tally phase makes no requests.
      body: JSON.stringify({ execProgramId, ...(execProgramId === fetcher ? { tallyProgramId: echo } : {}) })
    })
    await answer.text()
    return answer.status
  }
  const statuses: Array<number> = []
  for (const programId of [echo, echo, echo, failing, failing, fetcher, fetcher, fetcher, fetcher, missing])
    statuses.push(await run(programId))
  // The only run that it can pay for, and two that it cannot.
  for (const _ of [1, 2, 3]) statuses.push(await run(echo, poor))
  expect(statuses).toEqual([200, 200, 200, 599, 599, 200, 200, 200, 200, 404, 200, 403, 403])
  const after = await series()
  const runs = (outcome: string, program: string): string => `sibyl_runs_total{outcome="${outcome}",program="${program}"}`
  const expected = {
    'sibyl_http_requests_total{route="/execute",status="200"}': 8,
    'sibyl_http_requests_total{route="/execute",status="599"}': 2,
    'sibyl_http_requests_total{route="/execute",status="404"}': 1,
    'sibyl_http_requests_total{route="/execute",status="403"}': 2,
    'sibyl_http_request_duration_seconds_count{route="/execute"}': 13,
    [runs("success", echo)]: 4,
    [runs("failed", failing)]: 2,
    [runs("success", fetcher)]: 4,
    [runs("ProgramNotFound", "none")]: 1,
    [runs("InsufficientCredits", echo)]: 2,
    sibyl_run_duration_seconds_count: 10,
    'sibyl_phase_duration_seconds_count{phase="exec"}': 10,
    // A failed execution phase has no tally.
    'sibyl_phase_duration_seconds_count{phase="tally"}': 8,
    // Of the fetching program one to the request and one to the end.
    'sibyl_phase_passes_sum{phase="exec"}': 14,
    sibyl_queue_wait_seconds_count: 14,
    sibyl_credits_held_total: 10 * Number(flatPrice.credits),
    sibyl_credits_posted_total: 10 * Number(flatPrice.credits),
    'sibyl_credits_refused_total{reason="InsufficientCredits"}': 2,
    [`sibyl_upstream_requests_total{host="${host}",outcome="2xx"}`]: 2,
    [`sibyl_upstream_requests_total{host="${host}",outcome="5xx"}`]: 2,
    [`sibyl_upstream_duration_seconds_count{host="${host}"}`]: 4,
    [`sibyl_upstream_bytes_total{host="${host}"}`]: 16
  }
  expect(grown(before, after, Object.keys(expected))).toEqual(expected)
  expect(after.get("sibyl_runs_in_flight")).toBe(0)
  expect(after.get(`sibyl_upstream_staleness_seconds{host="${host}"}`)).toBeGreaterThan(0)
  expect(after.get("sibyl_workers_ready")).toBeGreaterThan(0)
  expect(after.get("process_resident_memory_bytes")).toBeGreaterThan(10_000_000)
})

test("counts feeds, their starts, connections and messages in both directions", async () => {
  const before = await series()
  const client = await connected()
  const modes = ["FIXED", "SEQUENTIAL", "PARALLEL"]
  for (const mode of modes) request(client, mode, "feed.start", { execute: { execProgramId: programs.echo }, periodicityMs: 20, mode })
  await client.until(() => (resultsIn(client) >= 30 ? true : undefined))
  const during = await series()
  for (const mode of modes) expect(during.get(`sibyl_feeds_running{mode="${mode}"}`), mode).toBe(1)
  expect(during.get("sibyl_ws_connections")).toBe(1)
  for (const mode of modes) {
    request(client, `stop ${mode}`, "feed.stop", { feedId: feedIdOf(client, mode) })
    await client.reply(`stop ${mode}`)
  }
  const seen = client.messages
  await client.bye()
  await expect.poll(async () => (await series()).get("sibyl_ws_connections")).toBe(0)
  const after = await series()
  const gained = (name: string): number => (after.get(name) ?? 0) - (before.get(name) ?? 0)
  expect(gained("sibyl_ws_frames_sent_total")).toBe(seen.length)
  expect(gained("sibyl_ws_frames_received_total")).toBe(6)
  for (const mode of modes) {
    expect(after.get(`sibyl_feeds_running{mode="${mode}"}`), mode).toBe(0)
    const delivered = seen.filter(({ json }) => {
      const { feedId } = (json["params"] ?? {}) as { readonly feedId?: string }
      return json["method"] === "feed.result" && feedId === feedIdOf(client, mode)
    }).length
    // Runs that were in flight when their feed was stopped are not delivered; PARALLEL may have many.
    const starts = gained(`sibyl_feed_lateness_seconds_count{mode="${mode}"}`)
    expect(starts, mode).toBeGreaterThanOrEqual(delivered)
    if (mode !== "PARALLEL") expect(starts, mode).toBeLessThanOrEqual(delivered + 1)
  }
})

test("are read with their own token only, by GET or HEAD, as Prometheus reads them", async () => {
  for (const given of ["", "wrong", rich.key]) {
    const refused = await scrape(given)
    expect(refused.status).toBe(401)
    expect(await refused.json()).toMatchObject({ _tag: "Unauthorized" })
  }
  const posted = await fetch(`${server.url}/metrics`, { method: "POST" })
  expect(posted.status).toBe(405)
  expect(posted.headers.get("allow")).toBe("GET, HEAD")
  await posted.text()
  const answer = await scrape()
  expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8")
  const text = await answer.text()
  expect(text).toMatch(/\n$/)
  expect(text).not.toContain(rich.projectId)
  expect(text).not.toContain(rich.key)
})
