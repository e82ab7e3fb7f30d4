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
  "the database knows an earlier owner of a shared feed than this server has heard: has a replica taken over, was a backup restored, or do servers of a copy of it use the same NATS? The feed goes on from there"

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

/** What a server knows of a shared feed, and has of it. */
class Membership {
  readonly self: string
  readonly leaseKey: string
  /** The feed's name at the relay. */
  readonly relayKey: string
  /** Wakes who waits for the lease: its owner has let it go. */
  readonly released: Queue.Queue<void>
  readonly #cluster: Cluster
  readonly #part: Part
  #heard: Heard | undefined
  #owned: { readonly lease: FeedLease; readonly epoch: number; readonly lose: () => void } | undefined

  constructor(cluster: Cluster, feedKey: string, part: Part, released: Queue.Queue<void>) {
    this.self = cluster.newName()
    // Whoever does not hear the others must not wait for their leases either: both names have the realm.
    const realm = cluster.leases.realm === undefined ? "" : `-${cluster.leases.realm}`
    this.leaseKey = `${feedKey}@${cluster.scope}${realm}`
    this.relayKey = `${feedKey}${realm}`
    this.released = released
    this.#cluster = cluster
    this.#part = part
  }

  /** Takes what another server tells. */
  hear(news: RelayedNews): void {
    if (news.from === this.self || news.kind === "logged") return
    const owned = this.#owned
    // Whoever speaks in a later term has the lease now.
    if (owned !== undefined && isBefore({ epoch: owned.epoch, term: owned.lease.term }, news)) owned.lose()
    const [next, verdict] = heardNews(this.#heard, news)
    this.#heard = next
    if (verdict.kind === "released") Queue.unsafeOffer(this.released, undefined)
    if (verdict.kind === "new" && this.#owned === undefined && news.kind === "result") this.#part.follow(news.message, verdict.missed)
  }

  /** What was heard until now. */
  get heard(): Heard | undefined {
    return this.#heard
  }

  /** Believes the store, which may have gone back. `before`: what was heard when it was asked; what comes meanwhile may be of a later term. */
  compare(before: Heard | undefined, holder: LeaseHolder): Effect.Effect<void> {
    const gone = before === this.#heard ? heardOfStoreGoneBack(this.#heard, holder) : undefined
    if (gone === undefined) return Effect.void
    this.#heard = gone
    return Effect.annotateLogs(Effect.logWarning(wentBack), logPart("feeds"))
  }

  /** Owns the feed until what it returns is done: the lease is lost. */
  begin(lease: FeedLease, schedule: FeedSchedule): Deferred.Deferred<void> {
    const lost = Deferred.unsafeMake<void>(FiberId.none)
    const lose = (): void => {
      this.#owned = undefined
      Deferred.unsafeDone(lost, Effect.void)
    }
    this.#owned = { lease, epoch: schedule.epoch, lose }
    this.#cluster.keeper.keep(lease, lose)
    this.#part.own(this.#tenureOf(lease, schedule))
    return lost
  }

  /** Ends the tenure; a lease that is not lost is free for others. */
  end(lease: FeedLease, { epoch }: FeedSchedule): Effect.Effect<void> {
    return Effect.suspend(() => {
      const { keeper, leases } = this.#cluster
      const wasLost = this.#owned === undefined
      this.#owned = undefined
      keeper.letGo(lease)
      this.#part.disown()
      if (wasLost) return Effect.void
      const told = Effect.sync(() => this.#tell({ kind: "released", from: this.self, epoch, term: lease.term }))
      return Effect.zipRight(Effect.ignoreLogged(leases.release(lease)), told)
    })
  }

  #tenureOf(lease: FeedLease, { epoch, nextTick }: FeedSchedule): Tenure {
    const term = { from: this.self, epoch, term: lease.term }
    const heard = this.#heard
    let ordinal = 0
    return {
      // While the store was away, an owner may have told of ticks that it could not record.
      nextSeq: heard?.epoch === epoch ? Math.max(nextTick, (heard.lastSeq ?? -1) + 1) : nextTick,
      missed: missedUntil(heard, { epoch, seq: nextTick }),
      take: (seq) =>
        Effect.map(this.#cluster.leases.advance(lease, { nextTick: seq + 1, seq: seq + 1 }), (holds) => {
          if (holds) return Option.some(feedRunId(this.leaseKey, epoch, seq))
          if (this.#owned?.lease === lease) this.#owned.lose()
          return Option.none()
        }),
      publish: (seq, message) => {
        if (this.#owned?.lease !== lease) return false
        const news = { kind: "result" as const, ...term, ordinal, seq, message }
        ordinal += 1
        this.#heard = heardNews(this.#heard, news)[0]
        this.#tell(news)
        return true
      }
    }
  }

  #tell(news: RelayedNews): void {
    this.#cluster.relay.publish(this.relayKey, news)
  }
}

/** Takes part in a feed until it is interrupted; then the lease is free for others. */
export const takePart = (cluster: Cluster, feedKey: string, part: Part): Effect.Effect<never> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { leases, relay } = cluster
      const membership = new Membership(cluster, feedKey, part, yield* Queue.sliding<void>(1))
      yield* relay.subscribe(membership.relayKey, (news) => membership.hear(news))

      const step = Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          // A lease that was given is let go again, whenever the last subscriber leaves.
          const before = membership.heard
          const verdict = yield* leases.acquire({ feedKey: membership.leaseKey, owner: membership.self, leaseMs: feedLeaseMs })
          if (verdict.kind === "held") {
            const { lease, schedule } = verdict
            const held = { epoch: schedule.epoch, term: lease.term }
            // Others have heard results of this very term, and would drop as many: the next one is new to them.
            if (before?.epoch === held.epoch && before.term === held.term) return yield* Effect.ignoreLogged(leases.release(lease))
            yield* membership.compare(before, { ...held, owner: membership.self })
            const owning = Effect.flatMap(
              Effect.sync(() => membership.begin(lease, schedule)),
              (lost) => restore(Deferred.await(lost))
            )
            return yield* Effect.ensuring(owning, membership.end(lease, schedule))
          }
          if (verdict.holder !== undefined) yield* membership.compare(before, verdict.holder)
          const waitMs = Math.min(feedLeaseMs, Math.max(0, verdict.leaseUntilMs - verdict.nowMs)) + afterLeaseMs
          yield* restore(Effect.timeoutOption(Queue.take(membership.released), waitMs))
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
