/** Owns durable feeds: takes those that have no owner, and lets go of what it has lost (decisions D50, D51). */
import { Cause, Context, Effect, Fiber, FiberId, Layer, Option } from "effect"
import type { DurableFeed } from "../../domain/feeds/durableFeed.ts"
import { Entropy } from "../../ports/entropy.ts"
import { DurableFeeds } from "../../ports/feeds/durableFeeds.ts"
import { feedLeaseMs, FeedLeases } from "../../ports/feeds/feedLeases.ts"
import { LeaseKeeper } from "../../services/feeds/leaseKeeper.ts"
import { OwnedFeed, type OwnedFeedServices } from "./ownedFeed.ts"
import { logFailed } from "../../ports/logs/logFailed.ts"

/** How often feeds without an owner are looked for. */
const lookMs = 400

/** The most feeds that one look takes. */
const takenAtOnce = 64

interface Running {
  readonly feed: OwnedFeed
  readonly fiber: Fiber.RuntimeFiber<void>
}

/** Runs a feed, and tells why it has stopped, if nobody wanted that. */
const toldIfStopped = (run: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.catchAllCause(run, (cause) =>
    Cause.isInterruptedOnly(cause) ? Effect.void : logFailed("a durable feed stopped here; it is taken up again", cause, { part: "feeds" })
  )

/** Looks, whatever comes of it: the first of several failures in a row is told. */
const toldWhileAway = (look: Effect.Effect<void>): Effect.Effect<void> => {
  let isAway = false
  return Effect.matchCauseEffect(look, {
    onSuccess: () =>
      Effect.sync(() => {
        isAway = false
      }),
    onFailure: (cause) => {
      const log = isAway ? Effect.void : logFailed("durable feeds cannot be looked after now", cause, { part: "feeds" })
      isAway = true
      return log
    }
  })
}

/** The durable feeds that this process runs. */
export class FeedOwner extends Context.Tag("@sibyl/core/FeedOwner")<
  FeedOwner,
  {
    /** Looks for feeds without an owner now, as it does several times a second. */
    readonly look: Effect.Effect<void>
    /** Starts no run any more, waits for those in flight and lets every feed go, so that another server takes it at once. */
    readonly retire: Effect.Effect<void>
  }
>() {
  /** Runs feeds until the layer ends. */
  static readonly layer: Layer.Layer<FeedOwner, never, OwnedFeedServices | Entropy | LeaseKeeper> = Layer.scoped(
    FeedOwner,
    Effect.gen(function* () {
      const feeds = yield* DurableFeeds
      const leases = yield* FeedLeases
      const keeper = yield* LeaseKeeper
      const owner = yield* Entropy.uuid
      const scope = yield* Effect.scope
      const context = yield* Effect.context<OwnedFeedServices>()
      const owned = new Map<string, Running>()
      let isRetired = false

      /** A feed that was removed leaves no schedule behind. */
      const letGo = Effect.fnUntraced(function* ({ definition, held }: OwnedFeed) {
        const exists = Option.isSome(yield* feeds.find(definition.projectId, definition.feedId))
        yield* leases.release(held.lease, !exists)
      })

      const take = Effect.fnUntraced(function* (definition: DurableFeed) {
        const { feedId } = definition
        if (isRetired || owned.has(feedId)) return
        const held = yield* leases.acquire({ feedKey: feedId, owner, leaseMs: feedLeaseMs })
        if (held.kind === "taken" || isRetired || owned.has(feedId)) return
        const feed = new OwnedFeed(definition, held, scope, context)
        const run = toldIfStopped(Effect.zipRight(feed.run, letGo(feed)))
        const fiber = yield* Effect.forkIn(Effect.interruptible(run), scope)
        owned.set(feedId, { feed, fiber })
        keeper.keep(held.lease, () => fiber.unsafeInterruptAsFork(FiberId.none))
        fiber.addObserver(() => {
          // A retired feed is kept until its runs have ended.
          if (isRetired) return
          keeper.letGo(held.lease)
          if (owned.get(feedId)?.fiber === fiber) owned.delete(feedId)
        })
      })

      const look = Effect.suspend(() =>
        isRetired ? Effect.void : Effect.flatMap(feeds.ownerless(takenAtOnce), Effect.forEach(take, { discard: true }))
      )

      const retire = Effect.gen(function* () {
        isRetired = true
        const running = [...owned.values()]
        yield* Fiber.interruptAll(running.map(({ fiber }) => fiber))
        yield* Effect.forEach(
          running,
          ({ feed }) =>
            Effect.zipRight(
              Effect.tap(feed.settled, () =>
                Effect.sync(() => {
                  owned.delete(feed.definition.feedId)
                  keeper.letGo(feed.held.lease)
                })
              ),
              Effect.ignoreLogged(leases.release(feed.held.lease))
            ),
          { concurrency: "unbounded", discard: true }
        )
      })

      yield* Effect.forkScoped(Effect.forever(Effect.zipRight(toldWhileAway(look), Effect.sleep(lookMs))))
      return { look: Effect.catchAllCause(look, () => Effect.void), retire }
    })
  )
}
