/** The relay in memory satisfies the laws. */
import { FeedRelay } from "@sibyl/core"
import { Context, Effect, Layer } from "effect"
import { describe, it } from "vitest"
import { feedRelayLaws } from "./feedRelayLaws.ts"

const makeRelays = Effect.map(Layer.build(FeedRelay.layerMemory("test")), (built) => {
  const relay = Context.get(built, FeedRelay)
  return [relay, relay] as const
})

describe("memory relay of feeds", () => {
  it.each(feedRelayLaws(makeRelays))("$name", ({ run }) => Effect.runPromise(run))
})
