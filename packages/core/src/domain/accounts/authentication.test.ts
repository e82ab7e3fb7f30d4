/** A stored key is matched by its own API key only. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { apiKeyEntropyBytes, makeApiKey } from "./apiKey.ts"
import { keyIdFor, keyOpens, type StoredKey } from "./authentication.ts"

const entropy = fc.uint8Array({ minLength: apiKeyEntropyBytes, maxLength: apiKeyEntropyBytes })

const storedOf = (made: ReturnType<typeof makeApiKey>, changes: Partial<StoredKey> = {}): StoredKey => ({
  apiKeyId: made.apiKeyId,
  projectId: "p",
  hash: made.hash,
  expiresAtMs: null,
  revokedAtMs: null,
  lastUsedAtMs: null,
  ...changes
})

describe("keyOpens", () => {
  it("accepts the key it was made for, and no other key with the same id", () => {
    fc.assert(
      fc.property(entropy, entropy, (first, second) => {
        const other = Uint8Array.from([...first.subarray(0, 6), ...second.subarray(6)])
        const made = makeApiKey("testnet", first)
        const wrong = makeApiKey("testnet", other)
        expect(wrong.apiKeyId).toBe(made.apiKeyId)
        expect(keyOpens(made.key, storedOf(made), 0)).toBe(true)
        expect(keyOpens(wrong.key, storedOf(made), 0)).toBe(wrong.key === made.key)
        expect(keyOpens(made.key, undefined, 0)).toBe(false)
        expect(keyOpens(made.key, storedOf(made, { revokedAtMs: 0 }), 0)).toBe(false)
      })
    )
  })

  it("is expired exactly at the time of expiry", () => {
    const made = makeApiKey("testnet", new Uint8Array(apiKeyEntropyBytes))
    expect(keyOpens(made.key, storedOf(made, { expiresAtMs: 1_000 }), 999)).toBe(true)
    expect(keyOpens(made.key, storedOf(made, { expiresAtMs: 1_000 }), 1_000)).toBe(false)
  })

  it("never accepts the empty text, which unknown keys are compared with", () => {
    const made = makeApiKey("testnet", new Uint8Array(apiKeyEntropyBytes))
    expect(keyOpens("", undefined, 0)).toBe(false)
    expect(keyOpens("", storedOf(made), 0)).toBe(false)
  })
})

describe("keyIdFor", () => {
  it("reads keys of its own network only", () => {
    const { apiKeyId, key } = makeApiKey(
      "testnet",
      Uint8Array.from({ length: apiKeyEntropyBytes }, (_, at) => at)
    )
    expect(keyIdFor("testnet", key)).toBe(apiKeyId)
    expect(keyIdFor("mainnet", key)).toBeUndefined()
    expect(keyIdFor("testnet", `${key.slice(0, -1)}x`)).toBeUndefined()
  })
})
