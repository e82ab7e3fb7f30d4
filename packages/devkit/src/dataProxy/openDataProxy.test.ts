/** The kit's data proxy signs and checks as the network's vectors specify. */
import { fastProofDigest, fastProofHeader, isProxySignature } from "@sibyl/core/internal"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { judgeProof, maxProofAgeMs } from "./judgeProof.ts"
import { openDataProxy, type RunningProxy } from "./openDataProxy.ts"
import vectors from "./testdata/proxyVectors.json" with { type: "json" }

const { fastProofHeader: proofs, dataProxyMessage: messages, testKey } = vectors
const secret = Buffer.from(testKey.privateKey, "hex")
const network = (chainId: string | null) => ({ chainId: chainId ?? "any", allowedKeys: [testKey.publicKeyCompressed] })

describe("a proof", () => {
  it.each(proofs)("of the network is accepted ($chainId, $unixTimestampMs)", ({ chainId, headerValue, unixTimestampMs }) => {
    const atMs = Number(unixTimestampMs)
    expect(judgeProof(headerValue, network(chainId), atMs)).toBeUndefined()
    expect(judgeProof(headerValue, network(chainId), atMs + maxProofAgeMs)).toBeUndefined()
    expect(judgeProof(headerValue, network(chainId), atMs - 1_000_000)).toBeUndefined()
    expect(judgeProof(headerValue, network(chainId), atMs + maxProofAgeMs + 1)?.status).toBe(401)
    expect(judgeProof(headerValue, { ...network(chainId), allowedKeys: [] }, atMs)?.status).toBe(401)
    const elsewhere = judgeProof(headerValue, network("another-network"), atMs)
    expect(elsewhere?.status).toBe(chainId === null ? undefined : 400)
  })

  it("that is missing or malformed is refused with 400", () => {
    for (const header of [undefined, "", "x", "MTox"]) expect(judgeProof(header, network(null), 0)?.status).toBe(400)
  })
})

describe("an answer", () => {
  let proxy: RunningProxy
  const exchanges = messages.map(({ method, requestBodyHex, responseBodyHex, ...rest }) => ({
    ...rest,
    method: method.toUpperCase(),
    requestBody: Buffer.from(requestBodyHex, "hex"),
    responseBody: Buffer.from(responseBodyHex, "hex")
  }))
  const bodies = new Map(exchanges.map(({ responseBody, url }) => [new URL(url).pathname, responseBody.toString("utf8")]))

  const open = (publicOrigin: string) =>
    openDataProxy({
      ...network("test"),
      publicOrigin,
      secret,
      source: (path) => ({ status: 200, body: bodies.get(path.split("?")[0] ?? "") ?? "" })
    })

  beforeAll(async () => {
    proxy = await open("https://proxy.test")
  })
  afterAll(() => proxy.close())

  const proof = (): string => {
    const facts = { timestampMs: Date.now(), chainId: "test" }
    const signed = secp256k1.sign(fastProofDigest(facts), secret, { prehash: false, format: "recovered" })
    return fastProofHeader({ ...facts, signature: Uint8Array.of(...signed.subarray(1), signed[0] ?? 0) })
  }

  const ask = (at: RunningProxy, path: string, method: string, body: Uint8Array) =>
    fetch(`${at.origin}${path}`, {
      method,
      headers: { "x-seda-fast-proof": proof() },
      ...(body.length === 0 ? {} : { body: new Uint8Array(body) })
    })

  // The vector without a path cannot be requested over HTTP, where every request has one.
  it.each(exchanges.filter(({ url }) => new URL(url).href === url))("carries the network's signature: $name", async (vector) => {
    const { origin, pathname, search } = new URL(vector.url)
    const own = await open(origin)
    const response = await ask(own, pathname + search, vector.method, vector.requestBody)
    expect(response.headers.get("x-seda-signature")).toBe(vector.signature64ByTestKey)
    expect(response.headers.get("x-seda-publickey")).toBe(vector.publicKey)
    expect(response.headers.get("x-seda-version")).toBe("0.1.0")
    expect(Buffer.from(await response.arrayBuffer()).equals(vector.responseBody)).toBe(true)
    await own.close()
  })

  it("to OPTIONS has the key and the version, no body, and needs no proof", async () => {
    const response = await fetch(`${proxy.origin}/any`, { method: "OPTIONS" })
    expect([response.status, await response.text()]).toEqual([200, ""])
    expect(response.headers.get("x-seda-publickey")).toBe(testKey.publicKeyCompressed)
    expect(response.headers.get("x-seda-version")).toBe("0.1.0")
  })

  it("is 400 without a proof, with the proxies' own text", async () => {
    const response = await fetch(`${proxy.origin}/any`)
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({ data_proxy_error: "the proof is missing or malformed", _tag: "DataProxyError" })
  })

  it("with a fault is invalid, without one it is valid", async () => {
    const holds = async (): Promise<boolean> => {
      const response = await ask(proxy, "/proxy/eth-usd", "GET", new Uint8Array())
      const exchange = {
        url: "https://proxy.test/proxy/eth-usd",
        method: "GET",
        requestBody: new Uint8Array(),
        responseBody: new Uint8Array(await response.arrayBuffer())
      }
      const [signature, key] = ["x-seda-signature", "x-seda-publickey"].map((name) => response.headers.get(name) ?? "")
      return key === proxy.publicKey && isProxySignature(exchange, signature ?? "", key)
    }
    for (const fault of [
      "foreignSignature",
      "foreignKey",
      "changedBody",
      "changedUrl",
      "malformedSignature",
      "noSignature",
      "noKey",
      "failing"
    ] as const) {
      proxy.become(fault)
      expect([fault, await holds()]).toEqual([fault, false])
    }
    proxy.become(undefined)
    expect(await holds()).toBe(true)
  })
})
