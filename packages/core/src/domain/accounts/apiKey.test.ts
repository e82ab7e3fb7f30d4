/** Parsing an API key returns what it was made from, and a typing error is detected without a store. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { apiKeyEntropyBytes, hashApiKey, makeApiKey, readApiKey } from "./apiKey.ts"

const entropy = fc.uint8Array({ minLength: apiKeyEntropyBytes, maxLength: apiKeyEntropyBytes })
const network = fc.constantFrom("mainnet", "testnet", "local-1")

describe("makeApiKey", () => {
  it("makes a key that contains its id and network, and a hash that differs from the key", () => {
    fc.assert(
      fc.property(network, entropy, (name, bytes) => {
        const { apiKeyId, hash, key } = makeApiKey(name, bytes)
        expect(readApiKey(key)).toEqual({ apiKeyId, network: name })
        expect(hash).toBe(hashApiKey(key))
        expect(hash).not.toContain(key.slice(-40))
      })
    )
  })

  it("makes a different key, id and hash from different entropy", () => {
    fc.assert(
      fc.property(network, entropy, fc.nat(apiKeyEntropyBytes - 1), fc.integer({ min: 1, max: 255 }), (name, bytes, at, change) => {
        const other = makeApiKey(
          name,
          bytes.map((byte, index) => (index === at ? byte ^ change : byte))
        )
        const one = makeApiKey(name, bytes)
        expect(other.key).not.toBe(one.key)
        expect(other.hash).not.toBe(one.hash)
        expect(other.apiKeyId !== one.apiKeyId).toBe(at < 6)
      })
    )
  })
})

describe("readApiKey", () => {
  it("refuses a key with one character changed, dropped or added, and any other text", () => {
    const character = fc.constantFrom(..."0123456789abcdefz_-A ".split(""))
    fc.assert(
      fc.property(entropy, fc.nat(200), character, fc.nat(2), (bytes, where, changed, kind) => {
        const { key } = makeApiKey("testnet", bytes)
        const at = where % key.length
        const tail = key.slice(kind === 2 ? at : at + 1)
        const mistyped = key.slice(0, at) + (kind === 1 ? "" : changed) + tail
        fc.pre(mistyped !== key)
        expect(readApiKey(mistyped)).toBeUndefined()
      }),
      { numRuns: 1_000 }
    )
    for (const text of ["", "sibyl_", "Bearer x", "sibyl_a_b_c", "x".repeat(100_000)]) expect(readApiKey(text)).toBeUndefined()
  })
})
