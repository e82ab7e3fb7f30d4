/** Where news of durable feeds arrives, of this process and of other servers: those who follow one are told to look (decision D51). */
import { Context, Effect, type Fiber, FiberId, Layer, Runtime } from "effect"
import type { DurableFeed, FeedPlace } from "../../domain/feeds/durableFeed.ts"
import { DurableFeeds } from "../../ports/feeds/durableFeeds.ts"
import { FeedRelay } from "../../ports/feeds/feedRelay.ts"
import { Entropy } from "../../ports/entropy.ts"
import { type FeedPage, FeedTail } from "./feedTail.ts"

/** A feed that is followed here. */
export interface FollowedTail {
  /**
   * The page behind a place; `read` is used by the first who asks after news, and by everyone who is alone in asking. It has to be the same
   * for every follower.
   */
  readonly page: <R>(after: FeedPlace | undefined, read: Effect.Effect<FeedPage, never, R>) => Effect.Effect<FeedPage, never, R>
  readonly unlisten: () => void
}

/** News of feeds. It may be missing, late or repeated: whoever is told looks at the log. */
export class FeedNews extends Context.Tag("@sibyl/core/FeedNews")<
  FeedNews,
  {
    /** Something about this feed is new; other servers are told. */
    readonly tell: (feedId: string) => void
    /** Calls back for every piece of news of a feed, also for what a look at its log finds. The callback must not throw. */
    readonly follow: (feed: DurableFeed, then: () => void) => FollowedTail
  }
>() {
  /** The news of this process, and of those that the relay reaches. */
  static readonly layer: Layer.Layer<FeedNews, never, DurableFeeds | FeedRelay | Entropy> = Layer.scoped(
    FeedNews,
    Effect.gen(function* () {
      const relay = yield* FeedRelay
      const from = yield* Entropy.uuid
      const scope = yield* Effect.scope
      const runtime = yield* Effect.runtime<DurableFeeds>()
      const tails = new Map<string, FeedTail>()

      const watched = (feedId: string, tail: FeedTail) => {
        const subscription = relay.subscribe(feedId, (news) => {
          if (news.kind === "logged" && news.from !== from) tail.look()
        })
        // Looks do not wait for a relay that is away.
        const work = Effect.scoped(Effect.zipRight(Effect.forkScoped(subscription), tail.watch))
        return Runtime.runFork(runtime)(work, { scope })
      }

      const watches = new Map<string, Fiber.RuntimeFiber<never>>()
      const tailOf = (feed: DurableFeed): FeedTail => {
        const { feedId } = feed
        const known = tails.get(feedId)
        if (known !== undefined) return known
        const tail = new FeedTail(feed, scope)
        tails.set(feedId, tail)
        watches.set(feedId, watched(feedId, tail))
        return tail
      }
      /** The last one to leave ends the tail. */
      const leave = (feedId: string, tail: FeedTail): void => {
        if (tail.listeners > 0 || tails.get(feedId) !== tail) return
        tails.delete(feedId)
        watches.get(feedId)?.unsafeInterruptAsFork(FiberId.none)
        watches.delete(feedId)
      }

      return {
        tell: (feedId) => {
          tails.get(feedId)?.look()
          if (relay.scope !== undefined) relay.publish(feedId, { kind: "logged", from })
        },
        follow: (feed, then) => {
          const tail = tailOf(feed)
          const stop = tail.listen(then)
          return {
            page: (after, read) => tail.page(after, read),
            unlisten: () => {
              stop()
              leave(feed.feedId, tail)
            }
          }
        }
      }
    })
  )
}
