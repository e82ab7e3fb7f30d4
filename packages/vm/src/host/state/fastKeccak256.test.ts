/** Both implementations of Keccak-256 give the same hashes. */
import { keccak_256 } from "@noble/hashes/sha3.js"
import fc from "fast-check"
import { expect, it } from "vitest"
import { fastKeccak256, loadFastKeccak256 } from "./fastKeccak256.ts"

it("gives the hashes of the reference, each of them one's own, before and after it is loaded", async () => {
  const texts = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.uint8Array({ minLength: 130, maxLength: 140 }),
    fc.uint8Array({ maxLength: 20_000 })
  )
  const isSame = (): void => {
    const seen: Array<readonly [hash: Uint8Array, expected: Uint8Array]> = []
    fc.assert(
      fc.property(texts, fc.nat(3), (bytes, from) => {
        // A part of a larger buffer, like the memory of a program.
        const part = bytes.subarray(Math.min(from, bytes.length))
        seen.push([fastKeccak256(part), keccak_256(part)])
      }),
      { numRuns: 1_000 }
    )
    for (const [hash, expected] of seen) expect(Buffer.compare(hash, expected)).toBe(0)
  }
  isSame()
  await loadFastKeccak256()
  isSame()
})
