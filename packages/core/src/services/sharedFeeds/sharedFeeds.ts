/** The shared feeds of this server, by key: whoever asks for one that runs joins it (decision D47). */
import { Clock, Context, Effect, FiberId, FiberSet, Layer, Runtime, type Scope } from "effect"
import { Entropy } from "../../ports/entropy.ts"
import { FeedLeases } from "../../ports/feeds/feedLeases.ts"
import { FeedRelay } from "../../ports/feeds/feedRelay.ts"
import { Feeds } from "../feeds/feeds.ts"
import { LeaseKeeper } from "../feeds/leaseKeeper.ts"
import { FanOut } from "./fanOut.ts"
import { takePart } from "./membership.ts"
import { SharedFeed, type SharedFeedInput, type SharedGround, type Subscriber, type Subscription } from "./sharedFeed.ts"

/** How this server takes part in feeds that it shares with others, if it does: it needs a relay that reaches them, and their leases. */
const membership: Effect.Effect<SharedGround["takePart"], never, FeedLeases | FeedRelay | LeaseKeeper | Entropy | Scope.Scope> = Effect.gen(
  function* () {
    const relay = yield* FeedRelay
    if (relay.scope === undefined) return undefined
    const server = yield* Entropy.uuid
    let parts = 0
    const newName = (): string => `${server}/${(parts += 1)}`
    const cluster = { newName, scope: relay.scope, relay, leases: yield* FeedLeases, keeper: yield* LeaseKeeper }
    const fork = yield* FiberSet.makeRuntime()
    return (feedKey, part) => {
      const fiber = fork(takePart(cluster, feedKey, part))
      return () => fiber.unsafeInterruptAsFork(FiberId.none)
    }
  }
)

/** Joins shared feeds. Joining is synchronous. */
export class SharedFeeds extends Context.Tag("@sibyl/core/SharedFeeds")<
  SharedFeeds,
  {
    /** Subscribes to the feed with this key, which starts if this server does not have it. */
    readonly join: <A, E>(input: SharedFeedInput<A, E>, subscriber: Subscriber<A, E>) => Subscription
    /** How many feeds have subscribers here. */
    readonly count: () => number
  }
>() {
  /** On the clock of the layer's runtime. Whoever joins leaves. */
  static readonly layer = Layer.scoped(
    SharedFeeds,
    Effect.gen(function* () {
      const feeds = yield* Feeds
      const clock = yield* Clock.clockWith(Effect.succeed)
      const runtime = yield* Effect.runtime()
      const nextTurn = (then: () => void): void => {
        Runtime.runFork(runtime)(Effect.zipRight(Effect.sleep(0), Effect.sync(then)))
      }
      const ground: SharedGround = {
        feeds,
        fanOut: new FanOut(nextTurn),
        nowMs: () => Number(clock.unsafeCurrentTimeNanos()) / 1e6,
        wallClockMs: () => clock.unsafeCurrentTimeMillis(),
        takePart: yield* membership
      }
      const byKey = new Map<string, unknown>()
      return {
        join: <A, E>(input: SharedFeedInput<A, E>, subscriber: Subscriber<A, E>) => {
          const { feedKey } = input
          // Equal keys are equal definitions, whose runs have one type.
          const known = byKey.get(feedKey) as SharedFeed<A, E> | undefined
          const feed = known ?? new SharedFeed<A, E>(ground, input, () => byKey.delete(feedKey))
          byKey.set(feedKey, feed)
          return feed.join(subscriber)
        },
        count: () => byKey.size
      }
    })
  )
}
