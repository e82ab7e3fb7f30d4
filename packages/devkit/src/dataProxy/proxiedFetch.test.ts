/** `proxy_http_fetch` from a real program through the whole service to a real data proxy, with every failure. */
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { fastProofDigest, readFastProof, recoverSigner } from "@sibyl/core/internal"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { openDataProxy, type RunningProxy } from "./openDataProxy.ts"
import type { ProxyFault } from "./proxyFault.ts"
import { chainId, openProxiedService, type ProxiedService, type ProxiedOutcome } from "./testdata/proxiedService.ts"

const fee = 7n
const price = '{"price":"1.€"}'
/** The key of the test kit's service: its secret is thirty-two bytes of 0x01. */
const servicePublicKey = secp256k1.getPublicKey(new Uint8Array(32).fill(1), true)
const allowedKeys = [Buffer.from(servicePublicKey).toString("hex")]
const url = "https://proxy.test/prices/eth?quote=usd&deep=1"

let proxy: RunningProxy
let other: RunningProxy
let service: ProxiedService
const opened: Array<ProxiedService> = []

const openService = async (limits: Parameters<typeof openProxiedService>[1] = {}): Promise<ProxiedService> => {
  const fresh = await openProxiedService({ "proxy.test": proxy.origin, "other.test": other.origin }, limits)
  opened.push(fresh)
  await fresh.registerProxy({ publicKey: proxy.publicKey, name: "Prices", feeCredits: fee, active: true })
  return fresh
}

beforeAll(async () => {
  const source = (path: string) => (path.startsWith("/missing") ? { status: 404, body: "no such price" } : { status: 200, body: price })
  const elsewhereUrl = "https://other.test"
  proxy = await openDataProxy({ publicOrigin: "https://proxy.test", chainId, allowedKeys, source, elsewhereUrl })
  const secret = new Uint8Array(32).fill(0x55)
  other = await openDataProxy({ publicOrigin: elsewhereUrl, chainId, allowedKeys, source, secret })
  service = await openService()
})

beforeEach(() => {
  proxy.become(undefined)
  other.become(undefined)
})

afterAll(async () => {
  for (const one of opened) await one.close()
  await proxy.close()
  await other.close()
})

const methodsSeen = (): ReadonlyArray<string> => proxy.seen.map(({ method }) => method)

const expectFree = (told: ProxiedOutcome): void => {
  expect([told.cost.dataProxies, told.dataProxies, told.revealedKeys]).toEqual(["0", [], []])
  expect([told.promise, told.response.status, told.response.headers]).toEqual(["Rejected", 0, {}])
}

describe("a call that succeeds", () => {
  it("returns the signed answer, and costs the fee as a separate line", async () => {
    const told = await service.run({ url })
    expect([told.status, told.promise, told.response.status, told.text]).toEqual([200, "Fulfilled", 200, price])
    expect(told.response.headers["x-seda-publickey"]).toBe(proxy.publicKey)
    expect(told.response.url).toBe(url)
    expect(told.dataProxies).toEqual([{ publicKey: proxy.publicKey, fee: "7", calls: 1 }])
    expect(told.cost.dataProxies).toBe("7")
    const { base, gas, total } = told.cost
    expect([total, told.creditsUsed]).toEqual(Array.from({ length: 2 }, () => `${BigInt(base) + BigInt(gas) + fee}`))
    expect(told.revealedKeys).toEqual([proxy.publicKey])
  })

  it("asks for the key without a proof, then sends the request with the service's proof for this network and time", async () => {
    await service.run({ url })
    expect(methodsSeen()).toEqual(["OPTIONS", "GET"])
    expect(proxy.seen.map(({ path }) => path)).toEqual(["/prices/eth?quote=usd&deep=1", "/prices/eth?quote=usd&deep=1"])
    expect(proxy.seen[0]?.headers["x-seda-fast-proof"]).toBeUndefined()
    const proof = readFastProof(String(proxy.seen[1]?.headers["x-seda-fast-proof"]))
    if (proof === undefined) throw new Error("no proof was sent")
    expect(recoverSigner(fastProofDigest(proof), proof.signature)).toBe(service.publicKey)
    expect(proof.chainId).toBe(chainId)
    expect(Math.abs(Date.now() - proof.timestampMs)).toBeLessThan(60_000)
  })

  it("has the program's method, body and headers; a proof of the program itself is not used", async () => {
    const headers = { "x-seda-json-path": "$.price", "X-Seda-Fast-Proof": "forged" }
    const told = await service.run({ url, options: { method: "Post", headers, body: [...Buffer.from('{"q":1}')] } })
    expect([told.promise, told.text]).toEqual(["Fulfilled", price])
    expect(proxy.seen.map(({ body, method }) => [method, body])).toEqual([
      ["OPTIONS", ""],
      ["POST", '{"q":1}']
    ])
    expect(proxy.seen[1]?.headers["x-seda-json-path"]).toBe("$.price")
    expect(readFastProof(String(proxy.seen[1]?.headers["x-seda-fast-proof"]))).toBeDefined()
  })

  it("may name the proxy's key, in any form", async () => {
    const uncompressed = secp256k1.Point.fromHex(proxy.publicKey).toHex(false)
    for (const publicKey of [proxy.publicKey, proxy.publicKey.toUpperCase(), uncompressed]) {
      const told = await service.run({ url, public_key: publicKey })
      expect([told.promise, told.cost.dataProxies]).toEqual(["Fulfilled", "7"])
      expect(told.dataProxies.map((use) => use.publicKey)).toEqual([proxy.publicKey])
    }
  })

  it("is paid for and revealed as often as it is made", async () => {
    const told = await service.run({ url }, 3)
    expect(told.dataProxies).toEqual([{ publicKey: proxy.publicKey, fee: "7", calls: 3 }])
    expect(told.cost.dataProxies).toBe("21")
    expect(told.revealedKeys).toEqual([proxy.publicKey, proxy.publicKey, proxy.publicKey])
    expect(methodsSeen()).toEqual(["OPTIONS", "GET", "OPTIONS", "GET", "OPTIONS", "GET"])
  })

  it("is paid for once when the first attempt fails", async () => {
    proxy.become("failingOnce")
    const told = await service.run({ url })
    expect([told.promise, told.text, told.cost.dataProxies]).toEqual(["Fulfilled", price, "7"])
    expect(methodsSeen()).toEqual(["OPTIONS", "GET", "GET"])
  })

  it("is paid for if the run times out after it", async () => {
    const hasty = await openService({ execWallClockMs: 3_000 })
    const told = await hasty.run({ url }, 1, true)
    expect([told.status, told.stderr]).toEqual([599, "Execution time limit exceeded (3000ms)"])
    expect(told.dataProxies).toEqual([{ publicKey: proxy.publicKey, fee: "7", calls: 1 }])
    expect(told.cost.dataProxies).toBe("7")
  })

  it("sends the proof only to the proxy", async () => {
    const told = await service.run({ url })
    const proof = String(proxy.seen[1]?.headers["x-seda-fast-proof"])
    expect(proof.length).toBeGreaterThan(150)
    const shown = told.raw + told.text + JSON.stringify(told.response.headers)
    for (const secret of [proof, Buffer.from(proof, "base64").toString("utf8").split(":")[1] ?? ""]) {
      expect(shown.includes(secret)).toBe(false)
    }
  })
})

describe("a call that fails is reported to the program, and costs nothing", () => {
  const body = JSON.stringify({ data_proxy_error: "no upstream", _tag: "DataProxyError" })
  const faults: ReadonlyArray<readonly [fault: ProxyFault, text: string, methods: ReadonlyArray<string>]> = [
    ["foreignSignature", "Invalid proxy signature", ["OPTIONS", "GET"]],
    ["foreignKey", "Invalid proxy signature", ["OPTIONS", "GET"]],
    ["changedBody", "Invalid proxy signature", ["OPTIONS", "GET"]],
    ["changedUrl", "Invalid proxy signature", ["OPTIONS", "GET"]],
    ["malformedSignature", "Invalid proxy signature", ["OPTIONS", "GET"]],
    ["noSignature", `Header x-seda-signature was not available. Body: ${price}`, ["OPTIONS", "GET"]],
    ["noKey", `Header x-seda-publickey was not available. Body: ${price}`, ["OPTIONS", "GET"]],
    ["noKeyInOptions", "Failed to get proxy gas cost: Header x-seda-publickey was missing in the response headers", ["OPTIONS"]],
    ["failing", `Proxy HTTP fetch failed with status 502. Body: ${body}`, ["OPTIONS", "GET", "GET"]],
    ["silentInOptions", "Failed to get proxy gas cost: HTTP fetch time limit exceeded (300ms)", ["OPTIONS"]],
    ["silent", "Proxy HTTP fetch failed with status 0. Body: HTTP fetch time limit exceeded (300ms)", ["OPTIONS", "GET", "GET"]]
  ]

  it.each(faults)("of a proxy with the fault %s", async (fault, text, methods) => {
    proxy.become(fault)
    const told = await service.run({ url, options: { timeout_ms: 300 } })
    expect([told.status, told.text]).toEqual([200, text])
    expectFree(told)
    expect(methodsSeen()).toEqual(methods)
  })

  it("of an upstream without an answer, also if the proxy signed that", async () => {
    const told = await service.run({ url: "https://proxy.test/missing" })
    expect(told.text).toBe("Proxy HTTP fetch failed with status 404. Body: no such price")
    expectFree(told)
  })

  it("of an unregistered proxy, which never receives a proof", async () => {
    const told = await service.run({ url: "https://other.test/" })
    expect(told.text).toBe("Failed to get proxy gas cost: no data proxy is registered under this key")
    expectFree(told)
    expect(other.seen.map(({ method }) => method)).toEqual(["OPTIONS"])
  })

  it("of an unregistered or invalid key: no request is sent", async () => {
    for (const publicKey of [other.publicKey, "02ab", ""]) {
      const told = await service.run({ url, public_key: publicKey })
      expect(told.text).toBe("Failed to get proxy gas cost: no data proxy is registered under this key")
      expectFree(told)
    }
    expect(proxy.seen).toEqual([])
  })

  it("of another registered key than the proxy's", async () => {
    const both = await openService()
    await both.registerProxy({ publicKey: other.publicKey, name: "Other", feeCredits: 1n, active: true })
    const told = await both.run({ url, public_key: other.publicKey })
    expect(told.text).toBe("Invalid proxy signature")
    expectFree(told)
  })

  it("of an inactive proxy, until it is active again", async () => {
    const strict = await openService()
    const input = { publicKey: proxy.publicKey, name: "Prices", feeCredits: fee }
    await strict.registerProxy({ ...input, active: false })
    expectFree(await strict.run({ url }))
    await strict.registerProxy({ ...input, active: true })
    expect((await strict.run({ url: `${url}&again` })).promise).toBe("Fulfilled")
  })

  it("redirected to another origin, which does not receive the proof", async () => {
    proxy.become("elsewhere")
    const told = await service.run({ url })
    expect(told.text).toContain("Proxy HTTP fetch failed with status 400. Body: ")
    expectFree(told)
    expect(other.seen.map(({ method }) => method)).toEqual(["GET", "GET"])
    expect(other.seen.map(({ headers }) => headers["x-seda-fast-proof"])).toEqual([undefined, undefined])
  })

  it("to an address that is not public: the outbound policy applies here too", async () => {
    const told = await service.run({ url: `${proxy.origin}/prices` })
    expect(told.text).toBe("Failed to get proxy gas cost: outbound request refused: the host has no public address")
    expectFree(told)
    expect(proxy.seen).toEqual([])
  })

  it("once the run's time for requests is spent", async () => {
    const hasty = await openService({ httpRunBudgetMs: 250 })
    proxy.become("silent")
    const told = await hasty.run({ url })
    expect(told.text).toBe("Proxy HTTP fetch failed with status 0. Body: Global HTTP fetch time limit exceeded (250ms)")
    expectFree(told)
    // There is no time for a second attempt.
    expect(methodsSeen()).toEqual(["OPTIONS", "GET"])
  })
})

describe("the budget of a run", () => {
  it("ends with the call that it does not cover, which is not sent; earlier calls are paid", async () => {
    const modest = await openService({ proxyBudgetCredits: 20n })
    const told = await modest.run({ url }, 3)
    expect([told.promise, told.text]).toEqual([
      "Rejected",
      "Failed to get proxy gas cost: the fee is 7 credits, the run's budget for data proxies has 6 left"
    ])
    expect(told.dataProxies).toEqual([{ publicKey: proxy.publicKey, fee: "7", calls: 2 }])
    expect(methodsSeen()).toEqual(["OPTIONS", "GET", "OPTIONS", "GET", "OPTIONS"])
  })

  it("may be spent to the last credit", async () => {
    const exact = await openService({ proxyBudgetCredits: 2n * fee })
    const told = await exact.run({ url }, 2)
    expect([told.promise, told.cost.dataProxies]).toEqual(["Fulfilled", "14"])
  })

  it("is in the worst case of a quote; a quote sends no request to a proxy", async () => {
    const body = { execProgramId: service.execProgramId, execInputs: `1${JSON.stringify({ url })}`, dryRun: true }
    const answer = (await (await service.send("/execute", body)).json()) as {
      readonly data: { readonly quote: { readonly cost: { readonly dataProxies: string } } }
    }
    expect(answer.data.quote.cost.dataProxies).toBe("1000")
    expect(proxy.seen).toEqual([])
  })
})
