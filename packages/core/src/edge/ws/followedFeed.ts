/** Follows a durable feed: sends a client the runs after a place, in order, from the log; what is no longer kept is told (decision D51). */
import { Effect, Option, Queue } from "effect"
import type { ResolvedProject } from "../../domain/accounts/project.ts"
import { RawJson } from "../../domain/encoding/responseJson.ts"
import type { DurableFeed, FeedEntry, FeedPlace } from "../../domain/feeds/durableFeed.ts"
import { feedRunId } from "../../domain/feeds/feedRunId.ts"
import { DurableFeeds } from "../../ports/feeds/durableFeeds.ts"
import type { Execution } from "../../services/execution.ts"
import { FeedNews } from "../../services/feeds/feedNews.ts"
import type { Options } from "../../services/serviceOptions.ts"
import type { ExecuteParameters } from "../execution/executeParameters.ts"
import { recallExecution } from "../execution/executionRequest.ts"
import { executionOutcome, notificationText, type RpcOutcome } from "./rpcView.ts"

/** The most runs that are read from the log at once. */
const pageEntries = 32

/** How often the log is read without news, which another server's runs do not bring. */
const lookMs = 250

/** How often a client that does not read is looked at. */
const unreadMs = 100

/** What following needs of its connection. */
export interface FollowOutput {
  readonly project: () => ResolvedProject
  readonly enqueue: (text: string) => void
  /** Whether the client reads what it is sent. */
  readonly mayRead: () => boolean
}

/** What is followed, from where: the runs after this place, or all that are kept. */
export interface FollowPlan {
  readonly feed: DurableFeed
  readonly parameters: ExecuteParameters
  readonly after: FeedPlace | undefined
}

/** Runs that the client is not sent: from a place on, and why. */
interface Gap {
  readonly from: FeedPlace
  readonly why: "newEpoch" | "notKept"
}

/** Whether one place follows the other directly. */
const follows = (before: FeedPlace, place: FeedPlace): boolean => place.epoch === before.epoch && place.seq === before.seq + 1

/** What comes between two places of the log that do not follow each other. */
const gapBetween = (before: FeedPlace | undefined, place: FeedPlace): Gap | undefined =>
  before === undefined || follows(before, place)
    ? undefined
    : { from: { epoch: before.epoch, seq: before.seq + 1 }, why: before.epoch === place.epoch ? "notKept" : "newEpoch" }

/** Sends runs until its fiber is interrupted or the feed is removed. */
class Follower {
  readonly #plan: FollowPlan
  readonly #output: FollowOutput
  #before: FeedPlace | undefined
  #gap: Gap | undefined

  constructor(plan: FollowPlan, output: FollowOutput) {
    this.#plan = plan
    this.#output = output
    this.#before = plan.after
  }

  /** Sends the next runs that have ended; `more` tells whether there may be further ones, `none` that the log has nothing after the last. */
  get page(): Effect.Effect<"more" | "none" | "waiting", never, DurableFeeds | Execution | Options> {
    return Effect.gen(this, function* () {
      const entries = yield* (yield* DurableFeeds).entries(this.#plan.feed.feedId, this.#before, pageEntries)
      for (const entry of entries) {
        if (entry.endedAtMs === null) return "waiting"
        const outcome = yield* this.#outcome(entry)
        this.#gap ??= gapBetween(this.#before, entry) ?? (outcome === undefined ? { from: placeOf(entry), why: "notKept" } : undefined)
        if (outcome !== undefined) this.#send(entry, outcome)
        this.#before = placeOf(entry)
      }
      if (this.#before !== undefined) this.#tellGap({ epoch: this.#before.epoch, seq: this.#before.seq + 1 })
      return entries.length === pageEntries ? "more" : entries.length === 0 ? "none" : "waiting"
    })
  }

  /** The feed was removed. */
  end(): void {
    this.#output.enqueue(notificationText("feed.ended", { feedId: this.#plan.feed.feedId, why: "removed" }))
  }

  #outcome({ epoch, failure, tick }: FeedEntry): Effect.Effect<RpcOutcome | undefined, never, Execution | Options> {
    if (failure !== null) return Effect.succeed({ error: new RawJson(failure) })
    const { feed, parameters } = this.#plan
    return Effect.map(recallExecution(parameters, this.#output.project(), feedRunId(feed.feedId, epoch, tick)), (found) =>
      Option.isSome(found) ? executionOutcome(found.value.view) : undefined
    )
  }

  #send(entry: FeedEntry, outcome: RpcOutcome): void {
    this.#tellGap(placeOf(entry))
    const { epoch, scheduledAtMs: scheduledAt, seq, startedAtMs: startedAt, tick } = entry
    const { feedId } = this.#plan.feed
    this.#output.enqueue(notificationText("feed.result", { feedId, epoch, seq, tick, scheduledAt, startedAt, ...outcome }))
  }

  #tellGap({ epoch, seq }: FeedPlace): void {
    if (this.#gap === undefined) return
    const { from, why } = this.#gap
    this.#gap = undefined
    const { feedId } = this.#plan.feed
    this.#output.enqueue(notificationText("feed.gap", { feedId, from: { epoch: from.epoch, seq: from.seq }, to: { epoch, seq }, why }))
  }
}

const placeOf = ({ epoch, seq }: FeedPlace): FeedPlace => ({ epoch, seq })

/** Follows a feed until it is interrupted, or the feed is removed. */
export const followFeed = (
  plan: FollowPlan,
  output: FollowOutput
): Effect.Effect<void, never, DurableFeeds | Execution | FeedNews | Options> =>
  Effect.gen(function* () {
    const { feedId, projectId } = plan.feed
    const feeds = yield* DurableFeeds
    const news = yield* FeedNews
    const told = yield* Queue.sliding<true>(1)
    yield* Effect.acquireRelease(
      Effect.sync(() => news.listen(feedId, () => void told.unsafeOffer(true))),
      (unlisten) => Effect.sync(unlisten)
    )
    const follower = new Follower(plan, output)
    for (;;) {
      while (!output.mayRead()) yield* Effect.sleep(unreadMs)
      const page = yield* follower.page
      if (page === "none" && Option.isNone(yield* feeds.find(projectId, feedId))) return follower.end()
      yield* page === "more" ? Effect.yieldNow() : Effect.timeoutOption(Queue.take(told), lookMs)
    }
  }).pipe(Effect.scoped)
