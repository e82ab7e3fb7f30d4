/** `GET /data-proxy/{public_key}` through the service as an adapter has it (decision D19). */
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { Layer } from "effect"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { DataProxies } from "../../ports/dataProxies.ts"
import { golden } from "../../testdata/vectors.ts"
import { openTestService, seamRequest } from "../../testdata/testService.ts"
import { matchTarget, routesOf } from "./routes.ts"
import type { Service } from "../transport/seam.ts"

const uncompressedOf = (key: string): string => secp256k1.Point.fromHex(key).toHex(false)
const keyOf = (scalar: bigint): string => secp256k1.Point.BASE.multiply(scalar).toHex(true)
const registered = golden.testKey.publicKeyCompressed
const resting = keyOf(7n)

let service: Service

beforeAll(async () => {
  const testService = await openTestService()
  await testService.service.dispose()
  service = await testService.openAnother((stores) =>
    Layer.merge(
      Layer.succeedContext(stores),
      DataProxies.layerMemory([
        { publicKey: uncompressedOf(registered), name: "Prices “A”", feeCredits: 2n ** 70n, active: true },
        { publicKey: resting, name: "Resting", feeCredits: 5n, active: false }
      ])
    )
  )
})

afterAll(() => service.dispose())

const ask = async (path: string, method = "GET") => {
  const response = await service.fetch(seamRequest(method, path))
  return response === undefined
    ? undefined
    : { ...response, json: JSON.parse(String(response.body) === "" ? "null" : String(response.body)) as unknown }
}

describe("a well-formed key", () => {
  const spellings = [registered, uncompressedOf(registered)].flatMap((key) => [key, key.toUpperCase(), `0x${key}`])

  it.each(spellings)("of a registered proxy shows its name and fee, without an API key: %s", async (asked) => {
    const response = await ask(`/data-proxy/${asked}`)
    expect(response?.status).toBe(200)
    expect(response?.body).toBe(`{"registered":true,"name":"Prices “A”","publicKey":"${asked}","fee":"1180591620717411303424"}`)
  })

  it("of any other is answered as not registered, also of an inactive one", async () => {
    for (const asked of [keyOf(3n), uncompressedOf(keyOf(4n)).toUpperCase(), resting]) {
      const response = await ask(`/data-proxy/${asked}`)
      expect([response?.status, response?.json]).toEqual([200, { registered: false, name: "", publicKey: asked, fee: "0" }])
    }
  })

  it("may be requested with HEAD, and with an ignored query; no other method is allowed", async () => {
    expect((await ask(`/data-proxy/${registered}`, "HEAD"))?.status).toBe(200)
    expect((await ask(`/data-proxy/${registered}?x=1`))?.status).toBe(200)
    const refused = await ask(`/data-proxy/${registered}`, "POST")
    expect([refused?.status, refused?.headers["allow"]]).toEqual([405, "GET, HEAD"])
  })
})

describe("anything else", () => {
  it("is 400 and names the parameter", async () => {
    const malformed = ["0", "zz", ":public_key", `${registered}00`, "%E0%A4%A", "%30%32", `02${"ff".repeat(32)}`, "__proto__"]
    for (const asked of malformed) {
      const response = await ask(`/data-proxy/${asked}`)
      expect([asked, response?.status]).toEqual([asked, 400])
      expect(response?.json).toMatchObject({ _tag: "InvalidParameter", details: { parameter: "public_key" } })
    }
  })

  it("is not the service's if the path has another form", async () => {
    for (const path of ["/data-proxy", "/data-proxy/", `/data-proxy/${registered}/`, `/data-proxy/${registered}/x`]) {
      expect(await ask(path), path).toBeUndefined()
    }
  })

  it("is never an internal error, whatever the path contains", async () => {
    await fc.assert(
      fc.asyncProperty(fc.webSegment(), async (segment) => {
        const response = await ask(`/data-proxy/${segment}`)
        expect(response?.status).toBe(segment === "" ? undefined : 400)
      }),
      { numRuns: 200 }
    )
  })
})

it("a service without proxies answers that none is registered", async () => {
  const bare = await openTestService()
  const response = await bare.service.fetch(seamRequest("GET", `/data-proxy/${registered}`))
  expect(response?.body).toContain('"registered":false')
  await bare.service.dispose()
})

it("a path is matched with its parameters, and every exact path without", () => {
  const table = routesOf()
  expect(matchTarget(table, "/data-proxy/02ab")?.parameters).toEqual({ public_key: "02ab" })
  for (const path of [...table.keys()].filter((known) => !known.includes(":"))) {
    expect(matchTarget(table, path)?.parameters, path).toEqual({})
  }
  expect(matchTarget(table, "/nothing")).toBeUndefined()
})
