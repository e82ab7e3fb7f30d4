/** Which implementation hashes. */
import { keccak_256, sha3_256 } from "@noble/hashes/sha3.js"
import { afterEach, expect, it } from "vitest"
import { toHex } from "./bytes.ts"
import { hashKeccak256With, keccak256 } from "./keccak256.ts"

afterEach(() => void hashKeccak256With(keccak_256))

/** Of nothing, as Ethereum has it for accounts without code. */
const ofNothing = "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"

it("is Keccak with its original padding", () => {
  expect(toHex(keccak256(new Uint8Array()))).toBe(ofNothing)
})

it("is done by an implementation that answers the same", () => {
  const lengths: Array<number> = []
  const taken = hashKeccak256With((bytes) => {
    lengths.push(bytes.length)
    return keccak_256(bytes)
  })
  expect(taken).toBe(true)
  expect(toHex(keccak256(new Uint8Array(77)))).toBe(toHex(keccak_256(new Uint8Array(77))))
  expect(lengths.at(-1)).toBe(77)
})

it.each([
  ["another padding", sha3_256],
  ["an error in the second block", (bytes: Uint8Array) => keccak_256(bytes.length > 136 ? bytes.subarray(1) : bytes)],
  ["a hash that is too short", (bytes: Uint8Array) => keccak_256(bytes).subarray(1)]
])("is not done by one with %s", (_what, implementation) => {
  expect(hashKeccak256With(implementation)).toBe(false)
  expect(toHex(keccak256(new Uint8Array()))).toBe(ofNothing)
})
