/** The relay of shared feeds over NATS: each feed has a subject, to which a server subscribes once, however many subscribers it has. */
import { FeedRelay } from "@sibyl/core"
import { Effect, Layer } from "effect"
import { NatsConnection } from "../connection/natsConnection.ts"
import { feedSubject } from "../contract/subjects.ts"
import { newsMessages, NewsReader } from "./newsMessage.ts"

/** How long a subscription may take to reach the server before it counts as made; after an outage it is made again by itself. */
const subscribedMs = 2_000

/**
 * Carries news of feeds between the servers on one NATS. A result that is larger than NATS's `max_payload` goes in parts. News that is sent
 * while there is no connection is lost, as is what is sent to a server that has none; ordinals show it.
 */
export const layerNatsFeedRelay: Layer.Layer<FeedRelay, never, NatsConnection> = Layer.effect(
  FeedRelay,
  Effect.map(NatsConnection, (connection) => ({
    scope: "nats",
    publish: (feedKey, news) =>
      newsMessages(news, connection.server().maxPayloadBytes).every((message) => connection.publish(feedSubject(feedKey), message)),
    subscribe: (feedKey, onNews) =>
      Effect.suspend(() => {
        const reader = new NewsReader()
        const subscription = connection.subscribe(feedSubject(feedKey), ({ data }) => {
          const news = reader.read(data)
          if (news !== undefined) onNews(news)
        })
        return Effect.zipLeft(subscription, Effect.ignore(Effect.timeoutOption(connection.flushed, subscribedMs)))
      })
  }))
)
