/** The relay over a real NATS server satisfies the laws, and goes on after the server was away. */
import { EncodedText, FeedRelay, type RelayedNews } from "@sibyl/core"
import { feedRelayLaws } from "@sibyl/testing"
import { Context, Effect, Layer } from "effect"
import { expect, it } from "vitest"
import { NatsConnection } from "../connection/natsConnection.ts"
import { eventually } from "../testdata/eventually.ts"
import { describeNats, startNats } from "../testdata/natsServer.ts"
import { layerNatsFeedRelay } from "./natsFeedRelay.ts"

const relayOf = (url: string) =>
  Effect.map(Effect.orDie(Layer.build(Layer.provide(layerNatsFeedRelay, NatsConnection.layer({ servers: [url] })))), (built) =>
    Context.get(built, FeedRelay)
  )

const makeRelays = Effect.gen(function* () {
  const { url } = yield* Effect.orDie(startNats())
  return [yield* relayOf(url), yield* relayOf(url)] as const
})

describeNats("the relay of feeds over NATS", () => {
  it.each(feedRelayLaws(makeRelays))("$name", ({ run }) => Effect.runPromise(run))

  it("says when news could not be sent, and subscriptions go on after the server was away", () =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const server = yield* startNats()
          const [one, other] = [yield* relayOf(server.url), yield* relayOf(server.url)]
          const heard: Array<number> = []
          yield* other.subscribe("a", (news) => news.kind === "result" && heard.push(news.ordinal))
          const send = (ordinal: number): boolean => {
            const news: RelayedNews = {
              kind: "result",
              from: "one",
              epoch: 1,
              term: 1,
              ordinal,
              seq: ordinal,
              message: new EncodedText("")
            }
            return one.publish("a", news)
          }
          send(0)
          yield* eventually(() => heard.length === 1)
          yield* server.stop
          yield* eventually(() => !send(1))
          yield* server.start
          let ordinal = 2
          yield* eventually(() => {
            send((ordinal += 1))
            return heard.length > 1
          })
          // What was sent meanwhile is lost, which its ordinals show.
          expect(heard[0]).toBe(0)
          expect(heard[1]).toBeGreaterThan(2)
        })
      )
    ))
})
