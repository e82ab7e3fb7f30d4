/**
 * The outbound policy against a corpus of hostile URLs: a canary on loopback must see no connection at all. Each decision is first asserted
 * on the policy alone before the live fetch, so that a broken policy fails the test and sends nothing.
 */
import { HttpFetch, type OutboundResponse } from "@sibyl/core"
import { type Context, Effect, Either, ManagedRuntime } from "effect"
import { get } from "node:http"
import { type AddressInfo, createServer } from "node:net"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { literalAddress } from "./addressPolicy.ts"
import { noPublicAddress, planHop } from "./hop.ts"
import { layerHttpFetch } from "./httpFetchLive.ts"
import { outboundPolicy } from "./outboundOptions.ts"
import { LookupRefusal, policedLookup } from "./policedLookup.ts"
import { hostileUrls } from "./testdata/hostileUrls.ts"

let canaryConnections = 0
const canary = createServer((socket) => {
  canaryConnections += 1
  socket.on("error", () => socket.destroy())
  socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\ntweet"))
})

/** The target of the redirecting upstream. */
let location = ""
const upstream = createServer((socket) => {
  socket.on("error", () => socket.destroy())
  socket.once("data", () => {
    socket.end(`HTTP/1.1 302 Found\r\nlocation: ${location}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`)
  })
})

/** The addresses of every name. */
let addresses: ReadonlyArray<string> = ["127.0.0.1"]

let service: Context.Tag.Service<typeof HttpFetch>
let runtime: ManagedRuntime.ManagedRuntime<HttpFetch, never>
let port = 0

beforeAll(async () => {
  // Both families, so that a connection by either would be noticed.
  await new Promise<void>((resolve) => canary.listen(0, "::", resolve))
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve))
  port = (canary.address() as AddressInfo).port
  runtime = ManagedRuntime.make(
    layerHttpFetch({
      resolve: () => Promise.resolve(addresses),
      hostOverrides: { "upstream.test": `http://127.0.0.1:${(upstream.address() as AddressInfo).port}` }
    })
  )
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
  Effect.runPromise(
    service.fetch({
      projectId: "project",
      url,
      method: "GET",
      headers: [],
      body: new Uint8Array(),
      timeoutMs: 5_000,
      maxResponseBytes: 1_000
    })
  )

const armed = (url: string): string => url.replaceAll("{PORT}", String(port))

/** The address in a URL's host, or loopback if it is a name. */
const addressIn = (url: string): string => (URL.canParse(url) ? literalAddress(new URL(url).hostname) : undefined) ?? "127.0.0.1"

const refusal = (pattern: RegExp) => ({ kind: "rejected", timedOut: false, message: expect.stringMatching(pattern) })
const refused = /^outbound request refused: /

/** How a redirect ends: most are refused, some are malformed headers, some lead back to the same server. */
const redirectRefusal = (location: string, target: URL | undefined): RegExp => {
  if (location.includes("\0") || /[^\r]\n/.test(location)) return /the answer is not valid HTTP$/
  return target?.host === "upstream.test" ? /more than 10 redirects$/ : refused
}

/** Whether the policy only resolves the URL's name, which is loopback in these tests. */
const staysHere = (url: string): boolean =>
  Either.match(planHop(outboundPolicy({}), url), {
    onLeft: () => true,
    onRight: (hop) => literalAddress(hop.url.hostname) === undefined
  })

/** What a socket would be told for a name with these addresses. */
const lookup = (answers: ReadonlyArray<string>): Promise<unknown> =>
  new Promise((resolve) => {
    policedLookup(() => Promise.resolve(answers), false)("rebind.test", { all: true }, (error, found) => {
      resolve(error ?? found)
    })
  })

describe(`the corpus of ${hostileUrls.length} URLs`, () => {
  test("has more than 120 distinct entries", () => {
    expect(new Set(hostileUrls).size).toBe(hostileUrls.length)
    expect(hostileUrls.length).toBeGreaterThan(120)
  })

  test("is hostile: most of its loopback entries reach the canary without the policy", async () => {
    const reachable = hostileUrls
      .map(armed)
      .filter(
        (url) =>
          URL.canParse(url) &&
          new URL(url).protocol === "http:" &&
          new URL(url).port === String(port) &&
          /^(127|0\.0\.0\.0$|::1$|::$|::ffff:7f)/.test(addressIn(url))
      )
    for (const url of reachable) {
      await new Promise((resolve) => {
        get(
          url,
          {
            agent: false,
            lookup: (_, options, callback) => {
              if (options.all === true) callback(null, [{ address: "127.0.0.1", family: 4 }])
              else callback(null, "127.0.0.1", 4)
            }
          },
          (response) => response.resume().on("close", resolve)
        ).on("error", resolve)
      })
    }
    expect(reachable.length).toBeGreaterThan(60)
    expect(canaryConnections).toBe(reachable.length)
  })

  test.each(hostileUrls)("direct: %j", async (url) => {
    expect(staysHere(armed(url))).toBe(true)
    expect(await fetchOnce(armed(url))).toMatchObject(refusal(refused))
    expect(canaryConnections).toBe(0)
  })

  test.each(hostileUrls)("as a redirect: %j", async (url) => {
    location = armed(url)
    const base = "http://upstream.test/start"
    const target = URL.canParse(location, base) ? new URL(location, base) : undefined
    expect(target === undefined || staysHere(target.href)).toBe(true)
    expect(await fetchOnce(base)).toMatchObject(refusal(redirectRefusal(location, target)))
    expect(canaryConnections).toBe(0)
  })

  test.each(hostileUrls)("its address as a DNS answer: %j", async (url) => {
    const address = addressIn(armed(url))
    const fine = "93.184.215.14"
    const answers = [[address], [address, fine], [fine, address], [`${address}%lo`], [` ${address}`]]
    for (addresses of answers) {
      expect(await lookup(addresses)).toBeInstanceOf(LookupRefusal)
      for (const scheme of ["http", "https"]) {
        expect(await fetchOnce(`${scheme}://rebind.test:${port}/`)).toMatchObject({ message: noPublicAddress })
      }
    }
    expect(canaryConnections).toBe(0)
  })
})

test("a name with only public addresses is passed to the socket as checked", async () => {
  expect(await lookup(["93.184.215.14", "2606:4700::1111"])).toEqual([
    { address: "93.184.215.14", family: 4 },
    { address: "2606:4700::1111", family: 6 }
  ])
})

test.each([[[]], [[""]], [["localhost"]], [["2130706433"]], [["[::1]"]], [["::1%1"]]])(
  "a resolver that returns %j gives no address",
  async (answer) => {
    addresses = answer
    expect(await lookup(answer)).toBeInstanceOf(LookupRefusal)
    expect(await fetchOnce(`http://rebind.test:${port}/`)).toMatchObject({ message: noPublicAddress })
    expect(canaryConnections).toBe(0)
  }
)
