/** The randomness of core satisfies the laws, and what only looks random does not. */
import { Entropy, entropyOf } from "@sibyl/core"
import { randomBytes } from "node:crypto"
import { Layer } from "effect"
import { describe, expect, it } from "vitest"
import { describeLaws } from "../../describeLaws.ts"
import { entropyLaws } from "./entropyLaws.ts"
import { brokenLaws } from "./testdata/brokenLaws.ts"

describeLaws(
  "the randomness of core",
  entropyLaws(() => Entropy.layer)
)

type Draw = (count: number) => Uint8Array

const honest: Draw = (count) => new Uint8Array(randomBytes(count))

/** A new one for each layer, so that those with state begin anew. */
const layerOf =
  (makeDraw: () => Draw): (() => Layer.Layer<Entropy>) =>
  () =>
    Layer.sync(Entropy, () => entropyOf(makeDraw()))

/** One buffer that is filled again. */
const reusing = (): Draw => {
  const buffer = new Uint8Array(300_000)
  return (count) => {
    buffer.set(honest(count))
    return buffer.subarray(0, count)
  }
}

const seeded = (): Draw => {
  let state = 1
  return (count) =>
    Uint8Array.from({ length: count }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return state >>> 24
    })
}

/** Begins again after a block. */
const circling = (): Draw => {
  const block = honest(4_096)
  let at = 0
  return (count) => Uint8Array.from({ length: count }, () => block[at++ % block.length] ?? 0)
}

describe("the laws find", () => {
  it.each<readonly [string, () => Draw]>([
    ["a byte too few", () => (count) => honest(Math.max(0, count - 1))],
    ["at most 4,096 bytes", () => (count) => honest(Math.min(4_096, count))],
    ["a block that begins again", circling],
    ["one buffer for all", reusing],
    ["a fixed seed", seeded],
    ["bytes below 128", () => (count) => honest(count).map((byte) => byte & 127)],
    ["digits", () => (count) => honest(count).map((byte) => 48 + (byte % 10))],
    ["zeros at the end", () => (count) => honest(count).fill(0, Math.max(1, Math.floor(count * 0.9)))]
  ])("%s", async (_, makeDraw) => {
    expect(await brokenLaws(entropyLaws(layerOf(makeDraw)))).not.toEqual([])
  })
})
