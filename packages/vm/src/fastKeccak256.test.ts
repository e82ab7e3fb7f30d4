/** The implementation in WebAssembly gives the hashes of the library. */
import { keccak_256 } from "@noble/hashes/sha3.js"
import { hashKeccak256With, keccak256 } from "@sibyl/core/internal"
import fc from "fast-check"
import { afterEach, expect, it } from "vitest"
import { loadFastKeccak256 } from "./fastKeccak256.ts"

const texts = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc.uint8Array({ minLength: 130, maxLength: 140 }),
  fc.uint8Array({ maxLength: 20_000 })
)

const gives = (): void => {
  const seen: Array<readonly [hash: Uint8Array, expected: Uint8Array]> = []
  fc.assert(
    fc.property(texts, fc.nat(3), (bytes, from) => {
      // A part of a larger buffer, like the memory of a program.
      const part = bytes.subarray(Math.min(from, bytes.length))
      seen.push([keccak256(part), keccak_256(part)])
    }),
    { numRuns: 1_000 }
  )
  // Each hash is one's own: later ones do not change it.
  for (const [hash, expected] of seen) expect(Buffer.compare(hash, expected)).toBe(0)
}

afterEach(() => void hashKeccak256With(keccak_256))

it("gives the hashes of the library, each of them one's own, before and after it is loaded", async () => {
  gives()
  await loadFastKeccak256()
  gives()
})

it("is what core hashes with once it is loaded", async () => {
  let asked = 0
  hashKeccak256With((bytes) => {
    asked += 1
    return keccak_256(bytes)
  })
  keccak256(new Uint8Array())
  expect(asked).toBeGreaterThan(0)
  const before = asked
  await loadFastKeccak256()
  keccak256(new Uint8Array())
  expect(asked).toBe(before)
})
