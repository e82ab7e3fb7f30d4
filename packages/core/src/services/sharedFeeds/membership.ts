/** A server's part in a feed that several servers share: it owns the feed by lease, or follows the owner (decision D48). */
import { type Cause, type Context, Deferred, Effect, FiberId, Option, Queue } from "effect"
import type { FeedLease, FeedSchedule } from "../../domain/feeds/feedLease.ts"
import { feedRunId } from "../../domain/feeds/feedRunId.ts"
import {
  type Heard,
  heardNews,
  heardOfStoreGoneBack,
  isBefore,
  type LeaseHolder,
  missedUntil,
  type RelayedNews
} from "../../domain/feeds/relayedNews.ts"
import type { EncodedText } from "../../domain/encoding/encodedText.ts"
import { feedLeaseMs, type FeedLeases } from "../../ports/feeds/feedLeases.ts"
import type { FeedRelay } from "../../ports/feeds/feedRelay.ts"
import type { LeaseKeeper } from "../feeds/leaseKeeper.ts"
import { logPart } from "../../domain/settings/logPart.ts"

/** A wait after the end of another owner's lease, so that the store agrees that it is over. */
const afterLeaseMs = 10
/** A wait after the store could not be asked. */
const awayMs = 500

const wentBack =
  "the database knows an earlier owner of a shared feed than this server has heard: has a replica taken over, or was a backup restored? The feed goes on from there"

/** What servers share feeds with. */
export interface Cluster {
  /** A name that nobody had before, for each part that is taken: who leaves a feed and joins it again is another owner. */
  readonly newName: () => string
  /** That of the relay: servers that it does not reach own their feeds themselves. */
  readonly scope: string
  readonly leases: Context.Tag.Service<FeedLeases>
  readonly relay: Context.Tag.Service<FeedRelay>
  readonly keeper: Context.Tag.Service<LeaseKeeper>
}

/** A time in which this server owns the feed and runs its ticks. */
export interface Tenure {
  /** The number of its first tick. */
  readonly nextSeq: number
  /** Numbers that no subscriber here was sent: ticks of an owner before. */
  readonly missed: number
  /** Records that a tick is taken, and gives its run's id; none if it must not run. */
  readonly take: (seq: number) => Effect.Effect<Option.Option<string>>
  /** Sends a result to the other servers; false if this is not the owner any more, and nobody may be sent it. */
  readonly publish: (seq: number, message: EncodedText) => boolean
}

/** What a membership brings about. None may throw. */
export interface Part {
  readonly own: (tenure: Tenure) => void
  /** The end of a tenure: no tick starts any more. */
  readonly disown: () => void
  /** The owner's result. */
  readonly follow: (message: EncodedText, missed: number) => void
}

/** Takes part in a feed until it is interrupted; then the lease is free for others. */
export const takePart = (cluster: Cluster, feedKey: string, part: Part): Effect.Effect<never> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { keeper, leases, relay } = cluster
      const self = cluster.newName()
      const leaseKey = `${feedKey}@${cluster.scope}`
      const released = yield* Queue.sliding<void>(1)
      let heard: Heard | undefined
      let owned: { readonly lease: FeedLease; readonly epoch: number; readonly lose: () => void } | undefined

      yield* relay.subscribe(feedKey, (news) => {
        if (news.from === self || news.kind === "logged") return
        // Whoever speaks in a later term has the lease now.
        if (owned !== undefined && isBefore({ epoch: owned.epoch, term: owned.lease.term }, news)) owned.lose()
        const [next, verdict] = heardNews(heard, news)
        heard = next
        if (verdict.kind === "released") Queue.unsafeOffer(released, undefined)
        if (verdict.kind === "new" && owned === undefined && news.kind === "result") part.follow(news.message, verdict.missed)
      })

      const tell = (news: RelayedNews): void => void relay.publish(feedKey, news)

      const tenureOf = (lease: FeedLease, { epoch, nextTick }: FeedSchedule): Tenure => {
        const term = { from: self, epoch, term: lease.term }
        let ordinal = 0
        return {
          // While the store was away, an owner may have told of ticks that it could not record.
          nextSeq: heard?.epoch === epoch ? Math.max(nextTick, (heard.lastSeq ?? -1) + 1) : nextTick,
          missed: missedUntil(heard, { epoch, seq: nextTick }),
          take: (seq) =>
            Effect.map(leases.advance(lease, { nextTick: seq + 1, seq: seq + 1 }), (holds) => {
              if (holds) return Option.some(feedRunId(leaseKey, epoch, seq))
              if (owned?.lease === lease) owned.lose()
              return Option.none()
            }),
          publish: (seq, message) => {
            if (owned?.lease !== lease) return false
            const news = { kind: "result" as const, ...term, ordinal, seq, message }
            ordinal += 1
            heard = heardNews(heard, news)[0]
            tell(news)
            return true
          }
        }
      }

      const begin = (lease: FeedLease, schedule: FeedSchedule): Deferred.Deferred<void> => {
        const lost = Deferred.unsafeMake<void>(FiberId.none)
        const lose = (): void => {
          owned = undefined
          Deferred.unsafeDone(lost, Effect.void)
        }
        owned = { lease, epoch: schedule.epoch, lose }
        keeper.keep(lease, lose)
        part.own(tenureOf(lease, schedule))
        return lost
      }

      const end = (lease: FeedLease, { epoch }: FeedSchedule): Effect.Effect<void> =>
        Effect.suspend(() => {
          const wasLost = owned === undefined
          owned = undefined
          keeper.letGo(lease)
          part.disown()
          if (wasLost) return Effect.void
          const told = Effect.sync(() => tell({ kind: "released", from: self, epoch, term: lease.term }))
          return Effect.zipRight(Effect.ignoreLogged(leases.release(lease)), told)
        })

      /** `before`: what was heard when the store was asked; what comes meanwhile may be of a later term. */
      const compare = (before: Heard | undefined, holder: LeaseHolder): Effect.Effect<void> => {
        const gone = before === heard ? heardOfStoreGoneBack(heard, holder) : undefined
        if (gone === undefined) return Effect.void
        heard = gone
        return Effect.annotateLogs(Effect.logWarning(wentBack), logPart("feeds"))
      }

      const step = Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          // A lease that was given is let go again, whenever the last subscriber leaves.
          const before = heard
          const verdict = yield* leases.acquire({ feedKey: leaseKey, owner: self, leaseMs: feedLeaseMs })
          if (verdict.kind === "held") {
            const { lease, schedule } = verdict
            const held = { epoch: schedule.epoch, term: lease.term }
            // Others have heard results of this very term, and would drop as many: the next one is new to them.
            if (before?.epoch === held.epoch && before.term === held.term) return
            yield* compare(before, { ...held, owner: self })
            const owning = Effect.flatMap(
              Effect.sync(() => begin(lease, schedule)),
              (lost) => restore(Deferred.await(lost))
            )
            return yield* Effect.ensuring(owning, end(lease, schedule))
          }
          if (verdict.holder !== undefined) yield* compare(before, verdict.holder)
          const waitMs = Math.min(feedLeaseMs, Math.max(0, verdict.leaseUntilMs - verdict.nowMs)) + afterLeaseMs
          yield* restore(Effect.timeoutOption(Queue.take(released), waitMs))
        })
      )
      const away = (cause: Cause.Cause<never>) =>
        Effect.zipRight(
          Effect.annotateLogs(Effect.logDebug("the owner of a feed could not be looked up", cause), logPart("feeds")),
          Effect.sleep(awayMs)
        )
      return yield* Effect.forever(Effect.catchAllCause(step, away))
    })
  )
