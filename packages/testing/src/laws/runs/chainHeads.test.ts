/** The head of no chain satisfies the laws, one of a chain can, and ones with a fault do not. */
import { ChainHead, type Head } from "@sibyl/core"
import { Clock, Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { describeLaws } from "../../describeLaws.ts"
import { chainHeadLaws } from "./chainHeadLaws.ts"
import { brokenLaws } from "./testdata/brokenLaws.ts"

describeLaws(
  "no chain",
  chainHeadLaws(() => ChainHead.layerNone)
)

const layerOf =
  (head: () => Head): (() => Layer.Layer<ChainHead>) =>
  () =>
    Layer.succeed(ChainHead, { head: Effect.sync(head) })

/** A block each time that it is asked. */
const blocks = (change: (asked: number, head: Head) => Head = (_, head) => head): (() => Layer.Layer<ChainHead>) => {
  let asked = 0
  return layerOf(() => {
    asked += 1
    return change(asked, { height: BigInt(asked), timestampMs: 1_767_225_600_000 + asked * 6_000 })
  })
}

describeLaws("a chain with a block at each question", chainHeadLaws(blocks()))

const clock =
  (timestampMs: Effect.Effect<number>): (() => Layer.Layer<ChainHead>) =>
  () =>
    Layer.succeed(ChainHead, { isClock: true, head: Effect.map(timestampMs, (ms) => ({ height: 0n, timestampMs: ms })) })

describe("the laws find", () => {
  it.each<readonly [string, () => Layer.Layer<ChainHead>]>([
    ["seconds", blocks((_, head) => ({ ...head, timestampMs: head.timestampMs / 1_000 }))],
    ["fractions of a millisecond", blocks((_, head) => ({ ...head, timestampMs: head.timestampMs + 0.5 }))],
    ["a height below 0", blocks((_, head) => ({ ...head, height: -head.height }))],
    ["a chain that goes back", blocks((asked, head) => (asked % 7 === 0 ? { ...head, height: head.height - 3n } : head))],
    ["times that go back", blocks((asked, head) => (asked % 7 === 0 ? { ...head, timestampMs: head.timestampMs - 20_000 } : head))],
    ["a block with two times", blocks((_, head) => ({ ...head, height: 5n }))],
    ["a clock that is another one", clock(Effect.sync(() => 1_767_225_600_000))],
    ["a clock that is late", clock(Effect.map(Clock.currentTimeMillis, (ms) => ms - 1))]
  ])("%s", async (_, make) => {
    expect(await brokenLaws(chainHeadLaws(make))).not.toEqual([])
  })
})
