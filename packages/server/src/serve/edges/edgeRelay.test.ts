/** The relay between edges satisfies the laws, over messages that are copied as a channel copies them. */
import { FeedRelay } from "@sibyl/core"
import { feedRelayLaws } from "@sibyl/testing"
import { Context, Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { EdgeRelay } from "./edgeRelay.ts"
import type { AboutFeeds, ToEdge } from "./edgeMessages.ts"
import { NewsSwitch } from "./newsSwitch.ts"

/** Two edges and their supervisor. */
const openEdges = () => {
  const edges: Array<EdgeRelay> = []
  const between = new NewsSwitch<EdgeRelay>()
  const open = (): EdgeRelay => {
    const edge = new EdgeRelay((message: AboutFeeds) => {
      for (const { message: passed, to } of between.heard(edge, structuredClone(message))) {
        queueMicrotask(() => to.heard(structuredClone(passed) as Extract<ToEdge, { readonly kind: "news" }>))
      }
    }, "test")
    edges.push(edge)
    return edge
  }
  return { between, one: open(), other: open() }
}

const portOf = ({ layer }: EdgeRelay) => Effect.map(Layer.build(layer), (built) => Context.get(built, FeedRelay))

const makeRelays = Effect.suspend(() => {
  const { one, other } = openEdges()
  return Effect.all([portOf(one), portOf(other)])
})

describe("the relay of feeds between edges", () => {
  it.each(feedRelayLaws(makeRelays))("$name", ({ run }) => Effect.runPromise(run))

  it("passes nothing on to an edge that has ended", () => {
    const { between, one, other } = openEdges()
    const news = { kind: "news" as const, feedKey: "a", news: { kind: "released" as const, from: "x", epoch: 1, term: 1 } }
    between.heard(other, { kind: "listens", feedKey: "a", listens: true })
    expect(between.heard(one, news)).toEqual([{ to: other, message: news }])
    between.gone(other)
    expect(between.heard(one, news)).toEqual([])
  })
})
