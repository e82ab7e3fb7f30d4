/** The outbound policy against a corpus of hostile URLs: a canary on loopback must see no connection at all. */
import { HttpFetch, type OutboundResponse } from "@sibyl/core"
import { type Context, Effect, ManagedRuntime } from "effect"
import { get } from "node:http"
import { type AddressInfo, createServer } from "node:net"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { literalAddress } from "./addressPolicy.ts"
import { layerHttpFetch } from "./httpFetchLive.ts"
import { hostileUrls } from "./testdata/hostileUrls.ts"

let canaryConnections = 0
const canary = createServer((socket) => {
  canaryConnections += 1
  socket.on("error", () => socket.destroy())
  socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\ntweet"))
})

/** What the redirecting upstream sends its readers to. */
let location = ""
const upstream = createServer((socket) => {
  socket.on("error", () => socket.destroy())
  socket.once("data", () => {
    socket.end(`HTTP/1.1 302 Found\r\nlocation: ${location}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`)
  })
})

/** What any name resolves to. */
let addresses: ReadonlyArray<string> = ["127.0.0.1"]

let service: Context.Tag.Service<typeof HttpFetch>
let runtime: ManagedRuntime.ManagedRuntime<HttpFetch, never>
let port = 0

beforeAll(async () => {
  // Both families, so that an address that slipped through in either would be heard.
  await new Promise<void>((resolve) => canary.listen(0, "::", resolve))
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve))
  port = (canary.address() as AddressInfo).port
  runtime = ManagedRuntime.make(layerHttpFetch({
    resolve: () => Promise.resolve(addresses),
    hostOverrides: { "upstream.test": `http://127.0.0.1:${(upstream.address() as AddressInfo).port}` }
  }))
  service = await runtime.runPromise(HttpFetch)
})
afterAll(async () => {
  await runtime.dispose()
  canary.close()
  upstream.close()
})
beforeEach(() => {
  canaryConnections = 0
  addresses = ["127.0.0.1"]
})

const fetchOnce = (url: string): Promise<OutboundResponse> =>
  Effect.runPromise(service.fetch({
    url,
    method: "GET",
    headers: [],
    body: new Uint8Array(),
    timeoutMs: 5_000,
    maxResponseBytes: 1_000
  }))

const armed = (url: string): string => url.replaceAll("{PORT}", String(port))

/** The address a URL's host names, loopback where it is a name. */
const addressIn = (url: string): string =>
  (URL.canParse(url) ? literalAddress(new URL(url).hostname) : undefined) ?? "127.0.0.1"

const refusal = {
  kind: "rejected",
  timedOut: false,
  message: expect.stringMatching(/^outbound request (refused|failed): /)
}

describe(`the corpus of ${hostileUrls.length} URLs`, () => {
  test("has more than 120 entries, each once", () => {
    expect(new Set(hostileUrls).size).toBe(hostileUrls.length)
    expect(hostileUrls.length).toBeGreaterThan(120)
  })

  test("is hostile: most of its loopback entries reach the canary when nobody polices them", async () => {
    const reachable = hostileUrls.map(armed).filter((url) =>
      URL.canParse(url) && new URL(url).protocol === "http:" && new URL(url).port === String(port) &&
      /^(127|0\.0\.0\.0$|::1$|::$|::ffff:7f)/.test(addressIn(url))
    )
    for (const url of reachable) {
      await new Promise((resolve) => {
        get(url, { agent: false, lookup: (_, options, callback) => {
          if (options.all === true) callback(null, [{ address: "127.0.0.1", family: 4 }])
          else callback(null, "127.0.0.1", 4)
        } }, (response) => response.resume().on("close", resolve)).on("error", resolve)
      })
    }
    expect(reachable.length).toBeGreaterThan(60)
    expect(canaryConnections).toBe(reachable.length)
  })

  test.each(hostileUrls)("direct: %j", async (url) => {
    expect(await fetchOnce(armed(url))).toMatchObject(refusal)
    expect(canaryConnections).toBe(0)
  })

  test.each(hostileUrls)("as a redirect: %j", async (url) => {
    location = armed(url)
    // Text that is no absolute URL leads back to the upstream itself, until the hops run out.
    expect(await fetchOnce("http://upstream.test/start")).toMatchObject(refusal)
    expect(canaryConnections).toBe(0)
  })

  test.each(hostileUrls)("its address as a DNS answer: %j", async (url) => {
    const address = addressIn(armed(url))
    const fine = "93.184.215.14"
    const answers = [[address], [address, fine], [fine, address], [`${address}%lo`], [` ${address}`]]
    for (addresses of answers) {
      expect(await fetchOnce(`http://rebind.test:${port}/`)).toMatchObject(refusal)
      expect(await fetchOnce(`https://rebind.test:${port}/`)).toMatchObject(refusal)
    }
    expect(canaryConnections).toBe(0)
  })
})

test.each([
  [[]], [[""]], [["localhost"]], [["2130706433"]], [["[::1]"]], [["::1%1"]]
])("a resolver that says %j gives no address", async (answer) => {
  addresses = answer
  expect(await fetchOnce(`http://rebind.test:${port}/`))
    .toEqual({ kind: "rejected", message: "outbound request refused: the host has no public address", timedOut: false })
  expect(canaryConnections).toBe(0)
})
