/** In every order of steps one key signs each timestamp, and what was signed stays valid for as long as was said. */
import { Either } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isListedAt, keyAt, type ListedKey, signingKeyStateAt, signsAt } from "./listedKey.ts"
import { activateKey, announceKey, leastNoticeMs, retireKey, type Rotated } from "./rotation.ts"

const first: ReadonlyArray<ListedKey> = Either.getOrThrow(announceKey([], "k0", 1_000))

const step = fc.record({
  kind: fc.constantFrom("announce", "activate", "retire"),
  afterMs: fc.integer({ min: 0, max: 100_000 }),
  noticeMs: fc.integer({ min: 0, max: 120_000 }),
  overlapMs: fc.integer({ min: 0, max: 100_000 }),
  which: fc.nat(5)
})

const takeStep = (
  keys: ReadonlyArray<ListedKey>,
  name: string,
  nowMs: number,
  one: typeof step extends fc.Arbitrary<infer A> ? A : never
): Rotated => {
  if (one.kind === "announce") return announceKey(keys, name, nowMs)
  if (one.kind === "activate") return activateKey(keys, { nowMs, atMs: nowMs + one.noticeMs, overlapMs: one.overlapMs })
  return retireKey(keys, keys[one.which % keys.length]?.publicKey ?? "", nowMs)
}

/** A result: who signed it, with which timestamp, and until when it was promised to be valid. */
interface Signed {
  readonly publicKey: string
  readonly timestampMs: number
}

describe("a rotation", () => {
  it("has one key for each timestamp, and changes no timestamp that a server may have signed", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        let [keys, nowMs] = [first, 1_000]
        const signed: Array<Signed> = []
        for (const [at, one] of steps.entries()) {
          nowMs += one.afterMs
          const before = keys
          keys = Either.getOrElse(takeStep(keys, `k${at + 1}`, nowMs, one), () => before)
          for (const timestampMs of [nowMs, nowMs + leastNoticeMs - 1, nowMs + 200_000]) {
            expect(keys.filter((key) => signsAt(key, timestampMs))).toHaveLength(1)
          }
          // A server that has not read this step yet signs the same timestamps with the same key.
          for (const timestampMs of [0, nowMs, nowMs + leastNoticeMs - 1]) {
            expect(keyAt(keys, timestampMs)?.publicKey).toBe(keyAt(before, timestampMs)?.publicKey)
          }
          signed.push({ publicKey: keyAt(keys, nowMs)?.publicKey ?? "", timestampMs: nowMs })
          for (const { publicKey, timestampMs } of signed) {
            const key = keys.find((listed) => listed.publicKey === publicKey)
            expect(key !== undefined && signsAt(key, timestampMs)).toBe(true)
          }
        }
        expect(keys.filter((key) => signingKeyStateAt(key, nowMs) === "active")).toHaveLength(1)
      })
    )
  })

  const announced = Either.getOrThrow(announceKey(first, "k1", 2_000))
  const rotated = Either.getOrThrow(activateKey(announced, { nowMs: 3_000, atMs: 50_000, overlapMs: 1_000 }))
  const stateOf = (keys: ReadonlyArray<ListedKey>, nowMs: number) => keys.map((key) => signingKeyStateAt(key, nowMs))

  it("goes from announced over scheduled to active, while the old key signs, overlaps and ends", () => {
    expect(stateOf(announced, 2_000)).toEqual(["active", "announced"])
    expect(stateOf(rotated, 49_999)).toEqual(["active", "scheduled"])
    expect(stateOf(rotated, 50_000)).toEqual(["retired", "active"])
    expect(stateOf(rotated, 51_000)).toEqual(["ended", "active"])
    expect(rotated.map((key) => isListedAt(key, 50_999))).toEqual([true, true])
  })

  it("is taken back as long as every server learns of it in time", () => {
    expect(Either.getOrThrow(retireKey(rotated, "k1", 20_000))).toEqual(first)
    expect(Either.getOrThrow(retireKey(announced, "k1", 20_000))).toEqual(first)
    expect(Either.isLeft(retireKey(rotated, "k1", 20_001))).toBe(true)
  })

  it.each([
    ["a second announced key", announceKey(announced, "k2", 3_000), /k1 is announced already/],
    ["a key that was one already", announceKey(first, "k0", 3_000), /already/],
    ["an activation of nothing", activateKey(first, { nowMs: 0, atMs: 90_000, overlapMs: 0 }), /no key is announced/],
    ["a second activation", activateKey(rotated, { nowMs: 4_000, atMs: 90_000, overlapMs: 0 }), /already/],
    [
      "an activation of a key without its secret",
      activateKey(announced, { nowMs: 4_000, atMs: 90_000, overlapMs: 0, withSecrets: new Set([announced[0]?.publicKey ?? ""]) }),
      /secret of .* is not here: import it/
    ],
    ["short notice", activateKey(announced, { nowMs: 4_000, atMs: 33_999, overlapMs: 0 }), /30 s ahead/],
    ["to end the key that signs", retireKey(first, "k0", 9_000), /signs now/],
    ["to end an unknown key", retireKey(first, "k9", 9_000), /no signing key/],
    ["to end a key twice", retireKey(rotated, "k0", 60_000), /ended already/]
  ] satisfies ReadonlyArray<readonly [string, Rotated, RegExp]>)("refuses %s", (_, result, why) => {
    expect(Either.isLeft(result) ? result.left.message : "").toMatch(why)
  })

  it("needs no notice when nobody can sign", () => {
    const keys = Either.getOrThrow(activateKey(announced, { nowMs: 4_000, atMs: 4_000, overlapMs: 1, isUrgent: true }))
    expect(keyAt(keys, 4_000)?.publicKey).toBe("k1")
  })
})
