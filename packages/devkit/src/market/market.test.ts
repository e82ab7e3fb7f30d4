/** The market over real sockets and its price model: determinism, recorded shapes, faults. */
import * as fc from "fast-check"
import { afterEach, describe, expect, test } from "vitest"
import { type Market, type MarketOptions, startMarket } from "./market.ts"
import { hugeExponent, type MarketFault, marketFaults, staleAgeS } from "./marketFault.ts"
import { marketFeeds } from "./marketFeeds.ts"
import { priceStepMs, quoteAt } from "./priceModel.ts"
import { answerOf } from "./priceService.ts"

const btc = "e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43"
const eth = "ff61491a931112ddf1bd8147cd1b641375f79f5825126d665480874634fd0ace"
const timeMs = 1_763_640_000_000

let market: Market | undefined
afterEach(async () => {
  await market?.close()
  market = undefined
})

const open = async (options: Partial<MarketOptions> = {}): Promise<Market> => {
  market = await startMarket({ seed: 7, now: () => timeMs, ...options })
  return market
}

interface Price {
  readonly price: string
  readonly conf: string
  readonly expo: number
  readonly publish_time: number
}

interface Update {
  readonly binary: { readonly encoding: string; readonly data: ReadonlyArray<string> }
  readonly parsed: ReadonlyArray<{ readonly id: string; readonly price: Price }>
}

const get = async (url: string, query: string): Promise<{ readonly status: number; readonly text: string }> => {
  const response = await fetch(`${url}/v2/updates/price/latest?${query}`)
  return { status: response.status, text: await response.text() }
}

const update = async (url: string, query: string): Promise<Update> => JSON.parse((await get(url, query)).text) as Update

describe("an answer", () => {
  test("has the recorded shape", async () => {
    const { url } = await open()
    const { binary, parsed } = await update(url, `ids[]=${btc}&parsed=true`)
    const quote = quoteAt(7, btc, timeMs)
    expect(parsed).toEqual([
      {
        id: btc,
        price: { price: String(quote.price), conf: String(quote.conf), expo: -8, publish_time: timeMs / 1_000 },
        ema_price: { price: String(quote.emaPrice), conf: String(quote.emaConf), expo: -8, publish_time: timeMs / 1_000 },
        metadata: {
          slot: expect.any(Number),
          proof_available_time: timeMs / 1_000 + 1,
          prev_publish_time: timeMs / 1_000 - 1
        }
      }
    ])
    expect(binary.encoding).toBe("hex")
    expect(binary.data[0]).toMatch(/^504e4155[0-9a-f]{2792}$/)
  })

  test("is the same for every way to name the ids, in their order", async () => {
    const { url } = await open()
    const plain = await get(url, `ids[]=${btc}&ids[]=${eth}`)
    expect(plain.status).toBe(200)
    const upper = `0X${btc.toUpperCase()}`
    expect(await get(url, `ids=${btc}&ids=${eth}`)).toEqual(plain)
    expect(await get(url, `ids%5B%5D=0x${btc}&ids%5B%5D=${eth}`)).toEqual(plain)
    expect(await get(url, `ids[0]=${upper}&ids[1]=${eth}`)).toEqual(plain)
    expect((JSON.parse(plain.text) as Update).parsed.map(({ id }) => id)).toEqual([btc, eth])
  })

  test("leaves the parsed prices out, or encodes in base64, when asked", async () => {
    const { url } = await open()
    expect((await update(url, `ids[]=${btc}&parsed=false`)).parsed).toBeNull()
    expect((await update(url, `ids[]=${btc}&encoding=base64`)).binary.data[0]).toMatch(/^UE5BV/)
  })

  test.each([
    ["", 400],
    ["ids[]=abc", 400],
    [`ids[]=${btc.slice(1)}`, 400],
    [`ids[]=${"g".repeat(64)}`, 400]
  ])("to %j is refused with %i", async (query, status) => {
    const { url } = await open()
    expect((await get(url, query)).status).toBe(status)
  })

  test("elsewhere is 404, to POST 405", async () => {
    const { url } = await open()
    expect((await fetch(`${url}/v1`)).status).toBe(404)
    expect((await fetch(`${url}/v2/updates/price/latest?ids[]=${btc}`, { method: "POST" })).status).toBe(405)
  })

  test("is seen in the requests", async () => {
    const { url, requests } = await open()
    await get(url, `ids[]=${btc}`)
    expect(requests()).toMatchObject([{ method: "GET", target: `/v2/updates/price/latest?ids[]=${btc}`, timeMs }])
  })

  test("has a pinned price until it is released", async () => {
    const { url, setPrice } = await open()
    setPrice(`0x${btc}`, { price: -123n, expo: -2 })
    expect((await update(url, `ids[]=${btc}`)).parsed[0]?.price).toMatchObject({ price: "-123", expo: -2 })
    setPrice(btc, undefined)
    expect((await update(url, `ids[]=${btc}`)).parsed[0]?.price.price).toBe(String(quoteAt(7, btc, timeMs).price))
  })
})

describe("a fault", () => {
  const query = `ids[]=${btc}`

  test.each<[MarketFault, number, string]>([
    ["missing", 404, `Price ids not found: 0x${btc}`],
    ["tooManyRequests", 429, "Too Many Requests"],
    ["serverError", 500, "Internal Server Error"]
  ])("%s has status and text", async (fault, status, text) => {
    const { url, setFault } = await open()
    setFault(fault)
    expect(await get(url, query)).toEqual({ status, text })
    setFault(undefined)
    expect((await get(url, query)).status).toBe(200)
  })

  test.each<MarketFault>(["malformed", "notJson"])("%s is no JSON", async (fault) => {
    const { url, setFault } = await open()
    setFault(fault)
    const { status, text } = await get(url, query)
    expect(status).toBe(200)
    expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError)
  })

  test.each<[MarketFault, Partial<Price>]>([
    ["negativePrice", { price: `-${quoteAt(7, btc, timeMs).price}` }],
    ["zeroPrice", { price: "0" }],
    ["hugeExponent", { expo: hugeExponent }],
    ["stale", { publish_time: timeMs / 1_000 - staleAgeS }]
  ])("%s is in the price", async (fault, price) => {
    const { url, setFault } = await open()
    setFault(fault)
    expect((await update(url, query)).parsed[0]?.price).toMatchObject(price)
  })

  test("of one feed does not affect the others", async () => {
    const { url, setFault } = await open()
    setFault("missing", [`0x${btc}`])
    expect((await get(url, `ids[]=${btc}&ids[]=${eth}`)).status).toBe(404)
    expect((await get(url, `ids[]=${eth}`)).status).toBe(200)
    const rest = await update(url, `ids[]=${btc}&ids[]=${eth}&ignore_invalid_price_ids=true`)
    expect(rest.parsed.map(({ id }) => id)).toEqual([eth])
    setFault("empty", [btc])
    expect((await update(url, query)).parsed).toEqual([])
  })

  test("reset cuts the answer, hang gives none, and closing ends it", async () => {
    const { url, setFault, close } = await open()
    setFault("reset")
    await expect(get(url, query)).rejects.toThrow()
    setFault("hang")
    const waiting = get(url, query).then(
      () => "answered",
      () => "cut"
    )
    await close()
    expect(await waiting).toBe("cut")
  })

  test("latency delays answers and does not keep a closed market open", async () => {
    const { url, setLatencyMs, close } = await open()
    setLatencyMs(3_600_000)
    const waiting = get(url, query).then(
      () => "answered",
      () => "cut"
    )
    await expect.poll(() => market?.requests().length).toBe(1)
    await close()
    expect(await waiting).toBe("cut")
  })
})

describe("any request", () => {
  const target = fc.oneof(
    fc.string(),
    fc
      .tuple(fc.constantFrom("ids", "ids[]", "ids[7]", "parsed", "encoding", "x"), fc.string())
      .map(([name, value]) => `/v2/updates/price/latest?ids[]=${btc}&${name}=${value}`)
  )

  test("is answered under any fault", () => {
    fc.assert(
      fc.property(target, fc.constantFrom(undefined, ...marketFaults), (target, fault) => {
        const moment = { seed: 1, timeMs, faultOf: () => fault, pinnedQuote: () => undefined }
        expect([200, 400, 404, 429, 500]).toContain(answerOf(moment, target).status)
      }),
      { numRuns: 1_000 }
    )
  })
})

describe("the price model", () => {
  const seed = fc.integer()
  const anyId = fc.hexaString({ minLength: 64, maxLength: 64 })
  const id = fc.oneof(fc.constantFrom(...marketFeeds.map((feed) => feed.id)), anyId)
  const time = fc.integer({ min: 0, max: 4_102_444_800_000 })

  test("depends only on seed, feed and time", () => {
    fc.assert(
      fc.property(seed, id, time, (seed, id, time) => {
        expect(quoteAt(seed, id, time)).toEqual(quoteAt(seed, id, time))
        const moment = { seed, timeMs: time, faultOf: () => undefined, pinnedQuote: () => undefined }
        const target = `/v2/updates/price/latest?ids[]=${id}`
        expect(answerOf(moment, target)).toEqual(answerOf(moment, target))
      })
    )
  })

  test("stays positive and within six per cent of its base", () => {
    fc.assert(
      fc.property(seed, id, time, fc.integer(), time, (seed, id, time, otherSeed, otherTime) => {
        const here = quoteAt(seed, id, time)
        const there = quoteAt(otherSeed, id, otherTime)
        expect(here.conf > 0n && here.price > 0n).toBe(true)
        expect(here.price * 100n < there.price * 112n).toBe(true)
      })
    )
  })

  test("moves with time and with the seed, smoothly", () => {
    const prices = Array.from({ length: 200 }, (_, at) => quoteAt(7, btc, timeMs + at * priceStepMs).price)
    expect(new Set(prices).size).toBeGreaterThan(150)
    for (const [at, price] of prices.entries()) {
      const before = prices[at - 1] ?? price
      expect((price > before ? price - before : before - price) * 10_000n < price).toBe(true)
    }
    expect(quoteAt(8, btc, timeMs)).not.toEqual(quoteAt(7, btc, timeMs))
  })

  test("has not changed: golden prices", () => {
    expect(marketFeeds.map(({ id }) => String(quoteAt(1, id, timeMs).price))).toMatchInlineSnapshot(`
      [
        "9570395910017",
        "344742330186",
        "16141962197",
        "98915435",
        "3284050",
        "3919596",
        "135095490",
        "116137785",
        "115331",
        "132118",
        "152622",
        "33109980",
        "34132384",
        "33116000",
        "32837174",
        "31197085",
        "31062175",
        "30593399",
        "29569190",
        "18718835",
        "18228568",
        "18511376",
        "18304904",
        "29660483",
        "31069010",
        "30497817",
        "29190053",
        "68172630",
        "66190887",
        "65357851",
        "66615279",
      ]
    `)
  })
})
