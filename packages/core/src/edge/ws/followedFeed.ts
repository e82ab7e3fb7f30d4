/** Follows a durable feed: sends a client the runs after a place, in order, from the log; what is no longer kept is told (decision D51). */
import { Cause, Effect, Option, Queue } from "effect"
import type { ResolvedProject } from "../../domain/accounts/project.ts"
import { EncodedText } from "../../domain/encoding/encodedText.ts"
import { RawJson } from "../../domain/encoding/responseJson.ts"
import type { DurableFeed, FeedEntry, FeedPlace } from "../../domain/feeds/durableFeed.ts"
import { feedRunId } from "../../domain/feeds/feedRunId.ts"
import { DurableFeeds } from "../../ports/feeds/durableFeeds.ts"
import { logFailed } from "../../ports/logs/logFailed.ts"
import type { Execution } from "../../services/execution.ts"
import { FeedNews, type FollowedTail } from "../../services/feeds/feedNews.ts"
import type { FeedPage } from "../../services/feeds/feedTail.ts"
import type { Options } from "../../services/settings/serviceOptions.ts"
import type { ExecuteParameters } from "../execution/executeParameters.ts"
import { recallExecution } from "../execution/executionRequest.ts"
import { executionOutcome, notificationText, type RpcOutcome } from "./rpcView.ts"

/** The most runs that are read from the log at once. */
const pageEntries = 32

/** How often a client that does not read is looked at. */
const unreadMs = 100

/** After how long a log that could not be read is read again. */
const readAgainMs = 500

/** What following needs of its connection. */
export interface FollowOutput {
  readonly project: () => ResolvedProject
  readonly enqueue: (text: string) => void
  /** Behind what was enqueued. */
  readonly sendShared: (message: EncodedText) => void
  /** Whether the client reads what it is sent. */
  readonly mayRead: () => boolean
  /** Called when the feed was removed, before the client is told. */
  readonly removed: () => void
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

/** The runs after a place that have ended, as every follower of the feed is sent them. */
const readPage = (
  { feed, parameters }: FollowPlan,
  project: ResolvedProject,
  after: FeedPlace | undefined
): Effect.Effect<FeedPage, never, DurableFeeds | Execution | Options> =>
  Effect.gen(function* () {
    const { feedId, projectId } = feed
    const feeds = yield* DurableFeeds
    const entries = yield* feeds.entries(feedId, after, pageEntries)
    if (entries.length === 0) return { runs: [], behind: Option.isNone(yield* feeds.find(projectId, feedId)) ? "gone" : "waiting" }
    const open = entries.findIndex(({ endedAtMs }) => endedAtMs === null)
    const runs = yield* Effect.forEach(open < 0 ? entries : entries.slice(0, open), (entry) =>
      Effect.map(outcomeOf(entry, feed, parameters, project), (outcome) => ({
        text: outcome === undefined ? undefined : new EncodedText(textOf(feedId, entry, outcome)),
        ...placeOf(entry)
      }))
    )
    return { runs, behind: open < 0 && entries.length === pageEntries ? "more" : "waiting" }
  })

const outcomeOf = (
  { epoch, failure, tick }: FeedEntry,
  { feedId }: DurableFeed,
  parameters: ExecuteParameters,
  project: ResolvedProject
): Effect.Effect<RpcOutcome | undefined, never, Execution | Options> =>
  failure !== null
    ? Effect.succeed({ error: new RawJson(failure) })
    : Effect.map(recallExecution(parameters, project, feedRunId(feedId, epoch, tick)), (found) =>
        Option.isSome(found) ? executionOutcome(found.value.view) : undefined
      )

const textOf = (feedId: string, entry: FeedEntry, outcome: RpcOutcome): string => {
  const { epoch, scheduledAtMs: scheduledAt, seq, startedAtMs: startedAt, tick } = entry
  return notificationText("feed.result", { feedId, epoch, seq, tick, scheduledAt, startedAt, ...outcome })
}

/** What one client has been sent, and is sent next. */
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

  /** Sends the next runs that have ended; answers what there is behind them. */
  next(tail: FollowedTail): Effect.Effect<FeedPage["behind"], never, DurableFeeds | Execution | Options> {
    const read = readPage(this.#plan, this.#output.project(), this.#before)
    return Effect.map(tail.page(this.#before, read), ({ behind, runs }) => {
      for (const run of runs) {
        this.#gap ??= gapBetween(this.#before, run) ?? (run.text === undefined ? { from: placeOf(run), why: "notKept" } : undefined)
        if (run.text !== undefined) {
          this.#tellGap(placeOf(run))
          this.#output.sendShared(run.text)
        }
        this.#before = placeOf(run)
      }
      if (behind !== "gone" && this.#before !== undefined) this.#tellGap({ epoch: this.#before.epoch, seq: this.#before.seq + 1 })
      return behind
    })
  }

  /** The feed was removed. */
  end(): void {
    this.#output.removed()
    this.#output.enqueue(notificationText("feed.ended", { feedId: this.#plan.feed.feedId, why: "removed" }))
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

/** Follows a feed until it is interrupted, or the feed is removed; a store that is away for a while is waited for. */
export const followFeed = (
  plan: FollowPlan,
  output: FollowOutput
): Effect.Effect<void, never, DurableFeeds | Execution | FeedNews | Options> =>
  Effect.gen(function* () {
    const news = yield* FeedNews
    const told = yield* Queue.sliding<true>(1)
    const tail = yield* Effect.acquireRelease(
      Effect.sync(() => news.follow(plan.feed, () => void told.unsafeOffer(true))),
      ({ unlisten }) => Effect.sync(unlisten)
    )
    const follower = new Follower(plan, output)
    let isUnreadable = false
    for (;;) {
      while (!output.mayRead()) yield* Effect.sleep(unreadMs)
      const behind = yield* Effect.catchAllCause(follower.next(tail), (cause) => {
        if (Cause.isInterruptedOnly(cause)) return Effect.failCause(cause)
        const log = isUnreadable ? Effect.void : logFailed("a durable feed cannot be read for its followers now", cause, { part: "feeds" })
        return Effect.as(log, "unreadable" as const)
      })
      if (behind === "gone") return follower.end()
      isUnreadable = behind === "unreadable"
      if (isUnreadable) yield* Effect.sleep(readAgainMs)
      else yield* behind === "more" ? Effect.yieldNow() : Queue.take(told)
    }
  }).pipe(Effect.scoped)
