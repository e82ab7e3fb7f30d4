/** Requests that share hosts, over real sockets: how many at once, what a host that does not answer is spared, and lists of hosts. */
import { HttpFetch, type OutboundRequest, type OutboundResponse } from "@sibyl/core"
import { Effect, ManagedRuntime } from "effect"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest"
import { layerHttpFetch, type OutboundOptions } from "./httpFetchLive.ts"

/** Requests that an upstream holds until they are let go, by path. */
const held: Array<{ readonly path: string; readonly response: ServerResponse }> = []

const answer = (request: IncomingMessage, response: ServerResponse): void => {
  const path = request.url ?? ""
  if (path.startsWith("/held")) held.push({ path, response })
  else if (path.startsWith("/to/")) response.writeHead(302, { location: `http://${path.slice("/to/".length)}/fine` }).end()
  else if (path !== "/silent") response.end("fine")
}

const listening = async (server: Server, port = 0): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))
  return (server.address() as AddressInfo).port
}

const upstream = createServer(answer)
let port = 0
const runtimes: Array<ManagedRuntime.ManagedRuntime<HttpFetch, never>> = []

beforeAll(async () => {
  port = await listening(upstream)
})
afterEach(async () => {
  for (const { response } of held.splice(0)) response.end("fine")
  await Promise.all(runtimes.splice(0).map((runtime) => runtime.dispose()))
})
afterAll(async () => {
  upstream.closeAllConnections()
  await new Promise((resolve) => upstream.close(resolve))
})

const opened = (options: OutboundOptions) => {
  const origin = `http://127.0.0.1:${port}`
  const hosts = ["one.test", "two.test", "api.three.test"].map((host) => [host, origin])
  const runtime = ManagedRuntime.make(layerHttpFetch({ hostOverrides: Object.fromEntries(hosts), ...options }))
  runtimes.push(runtime)
  return (url: string, asked: Partial<OutboundRequest> = {}): Promise<OutboundResponse> =>
    runtime.runPromise(
      Effect.flatMap(HttpFetch, (http) =>
        http.fetch({
          projectId: "a",
          url,
          method: "GET",
          headers: [],
          body: new Uint8Array(),
          timeoutMs: 20_000,
          maxResponseBytes: 1_000,
          ...asked
        })
      )
    )
}

const fine = { kind: "answered", status: 200 }
const resting = { kind: "rejected", isResting: true, message: "outbound request refused: the host has not answered lately" }

/** The clock goes on for so long and then stands still until the work is done: a busy machine may stand still for as long as a host rests. */
const clockFor = async (afterMs: number, work: () => Promise<void>): Promise<void> => {
  const goesOn = performance.now.bind(performance)
  const standsMs = goesOn() + afterMs
  const clock = vi.spyOn(performance, "now").mockImplementation(() => Math.min(goesOn(), standsMs))
  await work().finally(() => clock.mockRestore())
}

const heldCount = (many: number) => expect.poll(() => held.length).toBe(many)

/** Lets requests go until all these have ended; how many were held at once at most. */
const letAllGo = async (answers: ReadonlyArray<Promise<unknown>>): Promise<number> => {
  let most = 0
  const timer = setInterval(() => {
    most = Math.max(most, held.length)
    held.shift()?.response.end("fine")
  }, 2)
  await Promise.all(answers)
  clearInterval(timer)
  return most
}

test("TLS to a port that has none closes it to nobody who speaks plain HTTP to it", async () => {
  const plain = `127.0.0.1:${port}`
  const ask = opened({ hostOverrides: { "other.test": `http://${plain}`, "other.test:80": `https://${plain}` } })
  const wrongly = (path: string) => ask(`https://other.test:80/${path}`, { projectId: "a" })
  await clockFor(0, async () => {
    for (let failures = 0; failures < 5; failures += 1) expect(await wrongly("x")).not.toMatchObject(resting)
    expect(await wrongly("y")).toMatchObject(resting)
  })
  for (const projectId of ["a", "b"]) expect(await ask("http://other.test/z", { projectId })).toMatchObject(fine)
})

describe("requests at once", () => {
  test("one project's slow requests take half of a host's places, and leave others theirs", async () => {
    const fetch = opened({ requestsPerHost: 4 })
    const slow = Array.from({ length: 12 }, (_, index) => fetch(`http://one.test/held/${index}`))
    await heldCount(2)
    expect(await fetch("http://one.test/", { projectId: "b" })).toMatchObject(fine)
    expect(held.length).toBe(2)
    expect(await letAllGo(slow)).toBe(2)
    for (const response of await Promise.all(slow)) expect(response).toMatchObject(fine)
  })

  test("a project has so many at all hosts together as its limit says", async () => {
    const fetch = opened({})
    const asked = { mostAtOnce: 3 }
    const answers = Array.from({ length: 9 }, (_, index) => fetch(`http://${index % 2 === 0 ? "one" : "two"}.test/held/${index}`, asked))
    await heldCount(3)
    expect(await fetch("http://one.test/", { projectId: "b", ...asked })).toMatchObject(fine)
    expect(await letAllGo(answers)).toBe(3)
  })

  test("waiting is part of a request's time; what nobody waits for yet does not wait", async () => {
    const fetch = opened({ requestsPerHost: 2 })
    const slow = fetch("http://one.test/held")
    await heldCount(1)
    expect(await fetch("http://one.test/", { timeoutMs: 50 })).toMatchObject({ kind: "rejected", timedOut: true })
    expect(await fetch("http://one.test/", { isAhead: true })).toMatchObject({
      kind: "rejected",
      timedOut: false,
      message: "outbound request failed: too many requests are under way"
    })
    await letAllGo([slow])
    expect(await fetch("http://one.test/")).toMatchObject(fine)
  })

  test("a place is free again however its request ended", async () => {
    const fetch = opened({ requestsPerHost: 2 })
    for (let time = 0; time < 5; time += 1) {
      expect(await fetch("http://one.test/silent", { timeoutMs: 20 })).toMatchObject({ timedOut: true })
      expect(await fetch("http://one.test/", { maxResponseBytes: 1 })).toMatchObject({ kind: "rejected" })
      expect(await fetch(`http://one.test/to/one.test`)).toMatchObject(fine)
      expect(await fetch(`http://one.test/to/[::1]`)).toMatchObject({ kind: "rejected" })
    }
    expect(await fetch("http://one.test/")).toMatchObject(fine)
  })
})

describe("a host that does not answer", () => {
  test("is asked nothing for a second after five failures in a row, then tried once", async () => {
    const closed = createServer(answer)
    const closedPort = await listening(closed)
    await new Promise((resolve) => closed.close(resolve))
    const fetch = opened({ hostOverrides: { "closed.test": `http://127.0.0.1:${closedPort}` } })
    let connections = 0
    const back = createServer(answer).on("connection", () => (connections += 1))
    await clockFor(0, async () => {
      for (let time = 0; time < 5; time += 1) {
        expect(await fetch("http://closed.test/")).toMatchObject({ message: "outbound request failed: the connection was refused" })
      }
      await listening(back, closedPort)
      // Within the rest, also for others: that a host cannot be reached is no project's doing.
      for (const projectId of ["a", "b"]) expect(await fetch("http://closed.test/", { projectId })).toMatchObject(resting)
      expect(connections).toBe(0)
    })
    await expect.poll(() => fetch("http://closed.test/"), { interval: 100 }).toMatchObject(fine)
    expect(await fetch("http://closed.test/")).toMatchObject(fine)
    back.closeAllConnections()
    await new Promise((resolve) => back.close(resolve))
  })

  test("rests for the project whose requests it leaves without an answer, and for no other", async () => {
    const fetch = opened({})
    const timeoutMs = 5_000
    // No timer is late on this clock; one that is says nothing of the host.
    await clockFor(timeoutMs, async () => {
      const silent = Array.from({ length: 5 }, () => fetch("http://one.test/silent", { timeoutMs }))
      for (const response of await Promise.all(silent)) expect(response).toMatchObject({ timedOut: true })
      expect(await fetch("http://one.test/")).toMatchObject(resting)
      expect(await fetch("http://one.test/", { projectId: "b" })).toMatchObject(fine)
    })
  })

  test("is not held to have failed by whoever gave up at once, nor by answers that were not wanted", async () => {
    const fetch = opened({ failuresToRest: 2 })
    for (let time = 0; time < 6; time += 1) {
      expect(await fetch("http://one.test/silent", { timeoutMs: 10 })).toMatchObject({ timedOut: true })
      expect(await fetch("http://two.test/", { maxResponseBytes: 1 })).toMatchObject({ kind: "rejected" })
    }
    for (const host of ["one", "two"]) expect(await fetch(`http://${host}.test/`)).toMatchObject(fine)
  })
})

describe("a project's own hosts", () => {
  const allowedHosts = ["one.test", "*.three.test"]
  const refused = { kind: "rejected", message: "outbound request refused: the host is not on the project's allow-list" }

  test("are the only ones that it reaches, also by redirects; other projects reach theirs", async () => {
    const fetch = opened({})
    for (const host of ["one.test", "ONE.test.", "api.three.test"]) {
      expect(await fetch(`http://${host}/`, { allowedHosts })).toMatchObject(fine)
      expect(await fetch(`http://one.test/to/${host.toLowerCase()}`, { allowedHosts })).toMatchObject(fine)
    }
    for (const host of ["two.test", "three.test", "one.test.two.test", "127.0.0.1"]) {
      expect(await fetch(`http://${host}/`, { allowedHosts })).toMatchObject(refused)
      expect(await fetch(`http://one.test/to/${host}`, { allowedHosts })).toMatchObject(refused)
    }
    expect(await fetch("http://one.test/", { allowedHosts: [] })).toMatchObject(refused)
    expect(await fetch("http://two.test/")).toMatchObject(fine)
  })

  test("are within what the service allows", async () => {
    const fetch = opened({ allowHosts: ["two.test"] })
    expect(await fetch("http://one.test/", { allowedHosts })).toMatchObject({
      message: "outbound request refused: the host is not on the allow-list"
    })
  })
})
