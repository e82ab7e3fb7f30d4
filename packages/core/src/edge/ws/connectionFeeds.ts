/** The feeds of one connection: started and stopped by it, delivered to it, ended with it. */
import { Effect, Exit } from "effect"
import { type Failure, FeedLimit, FeedNotFound } from "../../contract/errors.ts"
import type { Feed, FeedPlan, FeedRun } from "../../services/feeds/feed.ts"
import type { Feeds } from "../../services/feeds/feeds.ts"
import type { ShownRun } from "../execution/executionRequest.ts"
import { failureIn } from "../execution/failureIn.ts"
import { executionOutcome, failureOutcome, notificationText, type RpcOutcome } from "./rpcView.ts"

type Run = FeedRun<ShownRun, Failure>

/** How a run ended, for its client. A fault of ours says nothing about the inside. */
const outcomeOf = (exit: Run["exit"]): RpcOutcome =>
  Exit.isSuccess(exit) ? executionOutcome(exit.value.view) : failureOutcome(failureIn(exit.cause, "run"))

/** A UUID, as every feed's id is. */
const feedIdForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** What cannot be an id is not repeated: it may be a secret that was put in the wrong place. */
const feedNotFound = (feedId: string): FeedNotFound =>
  new FeedNotFound({
    message: "no feed of this connection has this id",
    ...(feedIdForm.test(feedId) ? { details: { feedId } } : {})
  })

/** What a feed of a connection is made of. */
export interface ConnectionFeedInput extends Pick<FeedPlan<ShownRun, Failure>, "mode" | "periodMs" | "maxOverlap"> {
  readonly feedId: string
  readonly run: Effect.Effect<ShownRun, Failure>
}

/** What the feeds of a connection have to know of it. */
export interface FeedOutput {
  readonly maxFeeds: () => number
  /** Runs of all its feeds at once; what the project may have in flight would refuse the others later and dearer. */
  readonly maxRuns: () => number
  readonly enqueue: (text: string) => void
  /** Whether the client takes results, and was not refused too often of late. */
  readonly mayStart: () => boolean
  /** A run was refused: it was not charged, but took time of the service. */
  readonly refused: () => void
}

/** The feeds of one connection. */
export class ConnectionFeeds {
  readonly #feeds: Feeds["Type"]
  readonly #output: FeedOutput
  readonly #running = new Map<string, Feed<ShownRun, Failure>>()
  #reserved = 0
  #runsInFlight = 0
  #ended = false

  constructor(feeds: Feeds["Type"], output: FeedOutput) {
    this.#feeds = feeds
    this.#output = output
  }

  /** Takes a place for a feed that is about to start; give it back with {@link release} when it does not. */
  reserve(): FeedLimit | undefined {
    const maxFeeds = this.#output.maxFeeds()
    if (this.#running.size + this.#reserved >= maxFeeds) {
      return new FeedLimit({ message: `a connection runs at most ${maxFeeds} feeds`, details: { maxFeeds } })
    }
    this.#reserved += 1
    return undefined
  }

  release(): void {
    this.#reserved -= 1
  }

  /** Starts a feed in the place that was reserved for it; run 0 begins now. */
  start({ feedId, ...input }: ConnectionFeedInput): void {
    this.release()
    if (this.#ended) return
    // Before the feed: a run may end at once, and its feed must be known by then.
    const deliver = (run: Run): void => this.#deliver(feedId, run)
    const mayStart = (): boolean => this.#runsInFlight < this.#output.maxRuns() && this.#output.mayStart()
    this.#running.set(feedId, this.#feeds.start({ ...input, run: this.#counted(input.run), deliver, mayStart }))
  }

  /** The count is up when the fiber of the run has been started: that begins at once. */
  #counted<A, E>(run: Effect.Effect<A, E>): Effect.Effect<A, E> {
    const count = (by: 1 | -1) => Effect.sync(() => void (this.#runsInFlight += by))
    return Effect.acquireUseRelease(
      count(1),
      () => run,
      () => count(-1)
    )
  }

  stop(feedId: string): FeedNotFound | undefined {
    const feed = this.#running.get(feedId)
    if (feed === undefined) return feedNotFound(feedId)
    feed.stop()
    this.#running.delete(feedId)
    return undefined
  }

  /** Stops every feed; none starts any more. */
  end(): void {
    this.#ended = true
    for (const feed of this.#running.values()) feed.stop()
    this.#running.clear()
  }

  /** No run starts any more, and no feed; the runs in flight are still delivered. */
  retire(): void {
    this.#ended = true
    for (const feed of this.#running.values()) feed.retire()
  }

  /** Whether a run is in flight whose result is still to be delivered. */
  get isRunning(): boolean {
    return [...this.#running.values()].some((feed) => feed.isRunning)
  }

  get size(): number {
    return this.#running.size
  }

  #deliver(feedId: string, { exit, scheduledAtMs, seq, startedAtMs }: Run): void {
    const times = { feedId, seq, scheduledAt: scheduledAtMs, startedAt: startedAtMs }
    if (Exit.isFailure(exit)) this.#output.refused()
    this.#output.enqueue(notificationText("feed.result", { ...times, ...outcomeOf(exit) }))
  }
}
