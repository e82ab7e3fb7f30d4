/** Signatures of data proxies: the network's test vectors, and the rejection of every changed part. */
import { secp256k1 } from "@noble/curves/secp256k1.js"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { bytesOf, golden } from "../../testdata/vectors.ts"
import { toHex } from "../encoding/bytes.ts"
import { isProxySignature, proxyAnswerDigest, proxyAnswerMessage, type ProxiedExchange } from "./proxyAnswer.ts"

const vectors = golden.dataProxyMessage.map(({ method, requestBodyHex, responseBodyHex, url, ...vector }) => ({
  ...vector,
  exchange: { url, method, requestBody: bytesOf(requestBodyHex), responseBody: bytesOf(responseBodyHex) }
}))

const secret = bytesOf(golden.testKey.privateKey)
const sign = (exchange: ProxiedExchange): string => toHex(secp256k1.sign(proxyAnswerDigest(exchange), secret, { prehash: false }))

const exchanges = fc.record({
  url: fc.webUrl({ withQueryParameters: true }),
  method: fc.constantFrom("GET", "POST", "PUT"),
  requestBody: fc.uint8Array({ maxLength: 40 }),
  responseBody: fc.uint8Array({ minLength: 1, maxLength: 40 })
})

/** The curve's order. */
const n = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

describe("the signature of a data proxy", () => {
  it.each(vectors)("matches the network's vector: $name", ({ exchange, message, messageHash, publicKey, signature64ByTestKey }) => {
    expect(toHex(proxyAnswerMessage(exchange))).toBe(message)
    expect(toHex(proxyAnswerDigest(exchange))).toBe(messageHash)
    expect(sign(exchange)).toBe(signature64ByTestKey)
    expect(isProxySignature(exchange, signature64ByTestKey, publicKey)).toBe(true)
    const uncompressed = secp256k1.Point.fromHex(publicKey).toHex(false)
    expect(isProxySignature(exchange, signature64ByTestKey.toUpperCase(), uncompressed)).toBe(true)
  })

  it("holds for one exchange only: URL, method and bodies are signed", () => {
    const key = golden.testKey.publicKeyCompressed
    fc.assert(
      fc.property(exchanges, fc.nat(), (exchange, at) => {
        const signature = sign(exchange)
        const body = exchange.responseBody.map((byte, index) => (index === at % exchange.responseBody.length ? byte ^ 1 : byte))
        const changed = [
          { ...exchange, url: `${exchange.url}x` },
          { ...exchange, method: "DELETE" },
          { ...exchange, requestBody: Uint8Array.of(...exchange.requestBody, 0) },
          { ...exchange, responseBody: body }
        ]
        expect(isProxySignature(exchange, signature, key)).toBe(true)
        expect(changed.map((other) => isProxySignature(other, signature, key))).toEqual([false, false, false, false])
      }),
      { numRuns: 20 }
    )
  })

  it("is refused if malformed, with a high s, or with an invalid key, and never throws", () => {
    const [vector] = vectors
    if (vector === undefined) throw new Error("no vector")
    const { exchange, publicKey, signature64ByTestKey: good } = vector
    const highS = good.slice(0, 64) + (n - BigInt(`0x${good.slice(64)}`)).toString(16).padStart(64, "0")
    const wrong = ["", "zz", good.slice(2), `${good}00`, `${good}01`, "00".repeat(64), "ff".repeat(64), highS]
    for (const signature of wrong) expect(isProxySignature(exchange, signature, publicKey), signature).toBe(false)
    for (const key of ["", "02", `02${"ff".repeat(32)}`, `05${publicKey.slice(2)}`, "zz"]) {
      expect(isProxySignature(exchange, good, key), key).toBe(false)
    }
  })
})
