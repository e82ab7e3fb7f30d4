/** How feeds use their connection, what a slow loop is told, and how a loop ends. */
import { beforeEach, describe, expect, test } from "vitest"
import { type ClientOptions, createClientOn } from "./createClient.ts"
import type { FeedRequest } from "./feeds/connectionFeed.ts"
import type { FeedItem } from "./feeds/feedItem.ts"
import type { ConnectionEvent } from "./feeds/link.ts"
import type { Platform } from "./ground/platform.ts"
import { ModelNetwork } from "./testdata/modelNetwork.ts"
import { durableFeedId, ModelService } from "./testdata/modelService.ts"
import { VirtualTime } from "./testdata/virtualTime.ts"

let time: VirtualTime
let network: ModelNetwork
let platform: Platform
let accepted: Array<string>
let events: Array<ConnectionEvent>

const feed: FeedRequest = { execute: { execProgramId: "model" }, mode: "FIXED", periodicityMs: 1_000 }

beforeEach(() => {
  time = new VirtualTime()
  accepted = []
  events = []
  const service = new ModelService(time)
  network = new ModelNetwork(time, (send, url) => {
    accepted.push(url)
    return service.accept(send, url)
  })
  platform = network.platform(() => 0.5)
})

const clientOf = (options: Partial<ClientOptions> = {}) =>
  createClientOn(platform, { url: "http://one", auth: "sibyl_model_key", onConnection: (event) => events.push(event), ...options })

type Loop = AsyncIterator<FeedItem<unknown>>
const loopOf = (items: AsyncIterable<FeedItem<unknown>>): Loop => items[Symbol.asyncIterator]()
/** The next item, while time passes. */
const next = async (loop: Loop, ms = 5_000) => {
  const item = loop.next()
  // It may reject before it is looked at.
  item.catch(() => undefined)
  await time.pass(ms)
  return item
}
const seqOf = ({ value }: IteratorResult<FeedItem<unknown>>) => (value?.kind === "result" ? value.seq : value?.kind)

describe("the connection", () => {
  test("is made with the first loop, carries all feeds, and is closed with the last", async () => {
    const client = clientOf()
    const [one, other] = [client.feed(feed), client.feed({ ...feed, mode: "SEQUENTIAL" })].map(loopOf) as [Loop, Loop]
    await time.pass(10_000)
    expect(accepted).toEqual([])
    expect(seqOf(await next(one))).toBe(0)
    expect(seqOf(await next(other))).toBe(0)
    expect(accepted).toEqual(["ws://one/ws/v1"])
    await one.return?.()
    expect(seqOf(await next(other))).toBe(1)
    expect(network.connections).toBe(1)
    await other.return?.()
    await time.pass(10)
    expect(network.connections).toBe(0)
    expect(events.map(({ state }) => state)).toEqual(["open", "closed"])
  })

  test("is made again at the next address, and told of", async () => {
    const loop = loopOf(clientOf({ url: undefined, urls: ["http://one", "http://two"] }).feed(feed))
    expect(seqOf(await next(loop))).toBe(0)
    network.cut()
    await time.pass(2_000)
    expect(accepted).toEqual(["ws://one/ws/v1", "ws://two/ws/v1"])
    expect(events).toMatchObject([{ state: "open" }, { state: "lost", address: "http://one" }, { state: "open", address: "http://two" }])
    await loop.return?.()
  })

  test.each<[string, () => void, string]>([
    [
      "the service has closed it",
      () => network.cut({ code: 1013, reason: "more than 16777216 bytes are waiting" }),
      "closed the connection: 1013 more than 16777216 bytes are waiting"
    ],
    ["the service gave no reason", () => network.cut({ code: 1012, reason: "" }), "closed the connection: 1012"],
    ["it broke", () => network.cut(), "ended the connection without a close frame"],
    ["nothing comes over it any more", () => network.stall(), "said nothing for 30000 ms"]
  ])("that is lost tells why: %s", async (_why, trouble, words) => {
    const loop = loopOf(clientOf().feed(feed))
    expect(seqOf(await next(loop))).toBe(0)
    trouble()
    await time.pass(60_000)
    expect(events[1]).toMatchObject({ state: "lost", address: "http://one", error: { _tag: "NotReached", message: `http://one ${words}` } })
    await loop.return?.()
  })

  test("is asked for a word 15 s after its last one, since proxies cut what is idle", async () => {
    const askedAtMs: Array<number> = []
    network = new ModelNetwork(time, (send) => {
      send({ method: "authorized" })
      time.after(5_000, () => send({ method: "feed.word", params: {} }))
      const onRequest = ({ id }: { readonly id: string }): void => {
        askedAtMs.push(time.nowMs)
        send({ id, result: { feedId: "f" } })
      }
      return { onRequest, onClosed: () => undefined }
    })
    platform = network.platform(() => 0.5)
    const loop = loopOf(clientOf().feed(feed))
    void loop.next()
    await time.pass(60_000)
    expect(askedAtMs.map((ms) => Math.round(ms / 1_000))).toEqual([0, 20, 35, 50])
    await loop.return?.()
  })

  test.each([
    ["a request for a ticket", "sibyl_model_key"],
    ["a WebSocket", "sibylt_model"]
  ])("that is being made when the last loop is left ends at once, with %s that nobody answers", async (_, auth) => {
    time = new VirtualTime()
    network = new ModelNetwork(time, () => ({ onRequest: () => undefined, onClosed: () => undefined }))
    platform = { ...network.platform(() => 0.5), fetch: () => new Promise(() => undefined) }
    const loop = loopOf(clientOf({ auth }).feed(feed))
    const waiting = loop.next()
    await time.pass(10)
    expect(time.waiting).toBe(1)
    await loop.return?.()
    await time.pass(1)
    expect([time.waiting, network.connections]).toEqual([0, 0])
    expect(await waiting).toMatchObject({ done: true })
  })

  test("that the service closes before it has let us in tells why", async () => {
    network = new ModelNetwork(time, () => {
      time.after(1, () => network.cut({ code: 1013, reason: "a key has at most 20 connections" }))
      return { onRequest: () => undefined, onClosed: () => undefined }
    })
    platform = network.platform(() => 0.5)
    const loop = loopOf(clientOf({ auth: "sibylt_model" }).feed(feed))
    const waiting = loop.next()
    await time.pass(10)
    expect(events[0]?.error?.message).toBe(
      "ws://one/ws/v1 did not let us in: it closed the connection: 1013 a key has at most 20 connections"
    )
    await loop.return?.()
    await waiting
  })

  test("is tried again when the service that has no more tickets says so", async () => {
    const askedAtMs: Array<number> = []
    const { fetch } = platform
    const full = { ok: false, status: 429, headers: new Headers({ "retry-after": "20" }) }
    const body = `{"_tag":"TicketLimit","error":"too many tickets"}`
    platform = {
      ...platform,
      fetch: (url, init) => {
        if (!url.endsWith("/tickets")) return fetch(url, init)
        askedAtMs.push(time.nowMs)
        return askedAtMs.length < 3 ? Promise.resolve({ ...full, text: () => Promise.resolve(body) }) : fetch(url, init)
      }
    }
    const loop = loopOf(clientOf().feed(feed))
    expect(seqOf(await next(loop, 60_000))).toBe(0)
    expect(askedAtMs).toEqual([0, 20_000, 40_000])
    await loop.return?.()
  })

  test("is tried again with longer waits while nobody answers", async () => {
    network.refuse(1_000)
    const loop = loopOf(clientOf().feed(feed))
    const waiting = loop.next()
    await time.pass(60_000)
    const { length } = events
    expect(length).toBeGreaterThan(10)
    expect(length).toBeLessThan(25)
    expect(events.every(({ error, state }) => state === "lost" && error?._tag === "NotReached")).toBe(true)
    await loop.return?.()
    await waiting
    await time.pass(60_000)
    expect(events.slice(length)).toEqual([{ state: "closed", address: "http://one" }])
  })

  test("that is refused tells why, where the runtime says it", async () => {
    network.refuse(1)
    const loop = loopOf(clientOf({ auth: "sibylt_model" }).feed(feed))
    const waiting = loop.next()
    await time.pass(10)
    expect(events[0]?.error?.message).toMatch(/ did not let us in: nobody listens$/)
    await loop.return?.()
    await waiting
  })

  const untold = "ws://one/ws/v1 did not let us in: it ended the connection without a close frame"
  test.each<[string, string | undefined, number, string]>([
    ["outside of a page", undefined, 1, untold],
    [
      "in a page",
      "http://page.example",
      1,
      `${untold}. Calls are answered, and browsers do not tell why: do allowedOrigins, or the ticket's origins, name the origin of this page (it is http://page.example), has the key fewer connections open than it may, and`
    ],
    ["in a file", "null", 1, "name the origin of this page (it has none: it is a file, or in a sandbox)"],
    [
      "in a page whose calls fail, too",
      "http://page.example",
      2,
      "in: http://one cannot be reached, or the connection ended before it answered, or its allowedOrigins do not list the origin of this page, http://page.example"
    ]
  ])("that is refused where the runtime does not say why is explained %s", async (_where, pageOrigin, refusals, words) => {
    platform = { ...platform, pageOrigin }
    network.refusalSays = ""
    network.refuse(refusals)
    const loop = loopOf(clientOf({ auth: "sibylt_model" }).feed(feed))
    const waiting = loop.next()
    await time.pass(10)
    expect(events[0]?.error).toMatchObject({ _tag: "NotReached", message: expect.stringContaining(words) })
    await loop.return?.()
    await waiting
  })

  test("that the constructor refuses says so: a page of https may not open one of http", async () => {
    platform = {
      ...platform,
      WebSocket: function insecure(): never {
        throw new Error("insecure")
      } as never
    }
    const loop = loopOf(clientOf({ auth: "sibylt_model" }).feed(feed))
    const waiting = loop.next()
    await time.pass(10)
    expect(events[0]?.error?.message).toBe("ws://one/ws/v1 did not let us in: insecure")
    await loop.return?.()
    await waiting
  })

  test("a durable feed that two loops follow takes two, since a connection follows it once", async () => {
    const client = clientOf()
    const [one, other] = [client.feed({ feedId: durableFeedId }), client.feed({ feedId: durableFeedId })].map(loopOf) as [Loop, Loop]
    const both = [next(one, 0), next(other, 0)]
    await time.pass(3_000)
    expect((await Promise.all(both)).map(seqOf)).toEqual([0, 0])
    expect(network.connections).toBe(2)
    await Promise.all([one.return?.(), other.return?.()])
    await time.pass(10)
    expect(network.connections).toBe(0)
  })
})

describe("a loop that takes its results too slowly", () => {
  const slowLoop = async (whenSlow: "buffer" | "latest" | "fail") => {
    const loop = loopOf(clientOf().feed(feed, { whenSlow, maxWaiting: 3 }))
    expect(seqOf(await next(loop, 500))).toBe(0)
    await time.pass(6_000)
    return loop
  }

  test("is told what gave way before what waits, with buffer", async () => {
    const loop = await slowLoop("buffer")
    expect((await next(loop, 0)).value).toEqual({ kind: "gap", why: "slow", feedId: "feed-1", missed: 3, from: { seq: 1 }, to: { seq: 4 } })
    expect([seqOf(await next(loop, 0)), seqOf(await next(loop, 0)), seqOf(await next(loop, 0))]).toEqual([4, 5, 6])
    await loop.return?.()
  })

  test("has only the newest waiting, with latest", async () => {
    const loop = await slowLoop("latest")
    expect((await next(loop, 0)).value).toMatchObject({ kind: "gap", missed: 5 })
    expect(seqOf(await next(loop, 0))).toBe(6)
    await loop.return?.()
  })

  test("throws, and the feed is stopped, with fail", async () => {
    const loop = await slowLoop("fail")
    await expect(next(loop, 0)).rejects.toMatchObject({ _tag: "SlowConsumer", waiting: 4 })
    expect(await loop.next()).toEqual({ done: true, value: undefined })
    expect(network.connections).toBe(0)
  })
})

describe("a loop ends", () => {
  test("with the reason of its signal", async () => {
    const control = new AbortController()
    const loop = loopOf(clientOf().feed(feed, { signal: control.signal }))
    expect(seqOf(await next(loop))).toBe(0)
    control.abort(new Error("enough"))
    await expect(loop.next()).rejects.toThrow("enough")
    await time.pass(10)
    expect(network.connections).toBe(0)
  })

  test("with a refusal that no further attempt would change", async () => {
    const unauthorized = {
      ok: false,
      status: 401,
      headers: new Headers(),
      text: () => Promise.resolve(`{"_tag":"Unauthorized","error":"no"}`)
    }
    platform = { ...platform, fetch: () => Promise.resolve(unauthorized) }
    await expect(next(loopOf(clientOf().feed(feed)))).rejects.toMatchObject({ _tag: "Unauthorized" })
    network.refuse(1)
    await expect(next(loopOf(clientOf({ auth: "sibylt_local_0" }).feed(feed)))).rejects.toMatchObject({ _tag: "Unauthorized" })
    expect(accepted).toEqual([])
    await time.pass(1)
    expect(events).toMatchObject([{ state: "lost" }, { state: "closed" }, { state: "lost" }, { state: "closed" }])
  })

  // The words of the package ws, and of Bun.
  test.each([
    ["Unexpected server response: 426", 426, / answered 426 in place of a WebSocket: a proxy in front of the service does not pass/],
    ["WebSocket connection to 'ws://one' failed: Expected 101 status code: 426", 426, / answered 426 in place of a WebSocket: a proxy/],
    ["Unexpected server response: 404", 404, /: there is no WebSocket interface at this address$/],
    ["Unexpected server response: 403", 403, /: the ticket allows neither runs nor feeds, or not this origin$/],
    ["Unexpected server response: 405", 405, /^ws:\/\/one\/ws\/v1 answered 405 in place of a WebSocket$/]
  ])("when an upgrade is answered with what no further attempt changes: %s", async (said, status, message) => {
    network.refusalSays = said
    network.refuse(1)
    const ended = next(loopOf(clientOf({ auth: "sibylt_model" }).feed(feed)))
    await expect(ended).rejects.toMatchObject({ _tag: "UnexpectedAnswer", status, message: expect.stringMatching(message) })
    await time.pass(1)
    expect(events).toMatchObject([{ state: "lost", error: { _tag: "UnexpectedAnswer" } }, { state: "closed" }])
  })

  test.each([408, 429, 500, 502, 503, 504])("not when an upgrade is answered with %i, which passes", async (status) => {
    network.refusalSays = `Unexpected server response: ${status}`
    network.refuse(2)
    const loop = loopOf(clientOf({ auth: "sibylt_model" }).feed(feed))
    expect(seqOf(await next(loop))).toBe(0)
    expect(events[0]?.error).toMatchObject({ _tag: "NotReached", message: expect.stringContaining(String(status)) })
    await loop.return?.()
  })

  test("only when all of several addresses answer so", async () => {
    network.refusalSays = "Unexpected server response: 426"
    const urls = ["http://one", "http://two"]
    network.refuse(1)
    const loop = loopOf(clientOf({ auth: "sibylt_model", url: undefined, urls }).feed(feed))
    expect(seqOf(await next(loop))).toBe(0)
    expect(accepted).toEqual(["ws://two/ws/v1"])
    network.refuse(10)
    network.cut()
    const rest = async () => {
      for (let item = await loop.next(); item.done !== true; item = await loop.next());
    }
    const ended = rest()
    ended.catch(() => undefined)
    await time.pass(10_000)
    await expect(ended).rejects.toMatchObject({ _tag: "UnexpectedAnswer", status: 426 })
    await time.pass(1)
    expect(events.map(({ address, state }) => `${state} ${address}`)).toEqual([
      "lost http://one",
      "open http://two",
      "lost http://two",
      "lost http://one",
      "lost http://two",
      "closed http://two"
    ])
  })

  test("where the runtime has no WebSocket", async () => {
    platform = { ...platform, WebSocket: undefined }
    await expect(next(loopOf(clientOf().feed(feed)))).rejects.toMatchObject({ _tag: "InvalidOption", option: "WebSocket" })
  })

  test("not with one of several addresses that refuses, where they are followed at once", async () => {
    const { fetch } = platform
    const refused = { ok: false, status: 401, headers: new Headers(), text: () => Promise.resolve(`{"_tag":"Unauthorized","error":"no"}`) }
    platform = { ...platform, fetch: (url, init) => (url.startsWith("http://two") ? Promise.resolve(refused) : fetch(url, init)) }
    const loop = loopOf(clientOf({ url: undefined, urls: ["http://one", "http://two"] }).feed({ feedId: durableFeedId, parallel: true }))
    expect(seqOf(await next(loop))).toBe(0)
    await loop.return?.()
    await time.pass(10)
    expect(network.connections).toBe(0)
  })
})

test("wrong options of a feed are refused before anything is sent", () => {
  expect(() => clientOf().feed(feed, { maxWaiting: 0 })).toThrow(/maxWaiting must be/)
  expect(() => clientOf().feed(feed, { whenSlow: "never" as "fail" })).toThrow(/whenSlow must be/)
})

test("without tickets the key goes into a header, where the runtime can send one", async () => {
  const entrances: Array<unknown> = []
  const missing = { ok: false, status: 404, headers: new Headers(), text: () => Promise.resolve(`{"_tag":"NotFound","error":"no"}`) }
  const inner = platform.WebSocket as unknown as new (url: string) => object
  class Seen extends inner {
    constructor(url: string, entrance: unknown) {
      super(url)
      entrances.push(entrance)
    }
  }
  platform = { ...platform, fetch: () => Promise.resolve(missing), WebSocket: Seen as unknown as NonNullable<Platform["WebSocket"]> }
  const loop = loopOf(clientOf().feed(feed))
  expect(seqOf(await next(loop))).toBe(0)
  expect(entrances).toEqual([{ protocols: ["sibyl.v1"], headers: { authorization: "Bearer sibyl_model_key" } }])
  await loop.return?.()
})
