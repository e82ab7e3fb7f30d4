/** The feeds of one connection: it starts and stops them, receives their results, and ends them when it closes. */
import { type Effect, Exit } from "effect"
import { type Failure, FeedLimit, FeedNotFound, Overloaded } from "../../contract/errors.ts"
import { EncodedText } from "../../domain/encoding/encodedText.ts"
import type { FeedPlan, FeedRun } from "../../services/feeds/feed.ts"
import type { Feeds } from "../../services/feeds/feeds.ts"
import type { Subscription } from "../../services/sharedFeeds/sharedFeed.ts"
import type { SharedFeeds } from "../../services/sharedFeeds/sharedFeeds.ts"
import type { ShownRun } from "../execution/executionRequest.ts"
import { failureIn } from "../execution/failureIn.ts"
import { executionOutcome, failureOutcome, notificationText, type RpcOutcome } from "./rpcView.ts"

type Run = FeedRun<ShownRun, Failure>

/** How a run ended, for its client. An internal error reveals no detail. */
const outcomeOf = (exit: Run["exit"]): RpcOutcome =>
  Exit.isSuccess(exit) ? executionOutcome(exit.value.view) : failureOutcome(failureIn(exit.cause, "run"))

const resultText = (feedId: string, { exit, scheduledAtMs, seq, startedAtMs }: Run): string =>
  notificationText("feed.result", { feedId, seq, scheduledAt: scheduledAtMs, startedAt: startedAtMs, ...outcomeOf(exit) })

/** The form of a feed's id, a UUID. */
const feedIdForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Text that cannot be an id is not echoed: it may be a misplaced secret. */
const feedNotFound = (feedId: string): FeedNotFound =>
  new FeedNotFound({
    message: "no feed of this connection has this id",
    ...(feedIdForm.test(feedId) ? { details: { feedId } } : {})
  })

/** What starts a feed of a connection. */
export interface ConnectionFeedInput extends Pick<FeedPlan<ShownRun, Failure>, "mode" | "periodMs" | "maxOverlap" | "startedBy"> {
  readonly feedId: string
  readonly run: Effect.Effect<ShownRun, Failure>
}

/** What starts a shared feed, or joins it. */
export interface SharedFeedStart extends Omit<ConnectionFeedInput, "run"> {
  readonly feedKey: string
  readonly run: (runId?: string) => Effect.Effect<ShownRun, Failure>
}

/** What the feeds need of their connection. */
export interface FeedOutput {
  readonly maxFeeds: () => number
  /** The most runs of its plain feeds at once. Runs beyond the project's own limit would be refused anyway, later and at a higher cost. */
  readonly maxRuns: () => number
  readonly enqueue: (text: string) => void
  readonly sendShared: (message: EncodedText) => void
  /** Whether the client reads what it is sent. */
  readonly mayRead: () => boolean
  /** Whether the client reads results, and was not refused too often recently. */
  readonly mayStart: () => boolean
  /** A run was refused: it was not charged, but cost the service time. */
  readonly refused: () => void
}

/** Where feeds come from: of this connection's own, and shared ones. */
export interface FeedSources {
  readonly own: Feeds["Type"]
  readonly shared: SharedFeeds["Type"]
}

/** The feeds of one connection. */
export class ConnectionFeeds {
  readonly #feeds: FeedSources
  readonly #output: FeedOutput
  readonly #running = new Map<string, Subscription>()
  #reserved = 0
  #runsInFlight = 0
  #ended = false

  constructor(feeds: FeedSources, output: FeedOutput) {
    this.#feeds = feeds
    this.#output = output
  }

  /** Reserves a place for a feed that is about to start. Call {@link release} if it does not start. */
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

  /** Starts a feed in its reserved place; run 0 begins now. */
  start({ feedId, ...input }: ConnectionFeedInput): void {
    this.release()
    if (this.#ended) return
    // Defined before the feed starts: a run may end at once.
    const deliver = (run: Run): void => this.#deliver(feedId, run)
    const { mayStart } = this.#output
    const refusal = this.#refusal
    this.#running.set(feedId, this.#feeds.own.start({ ...input, count: this.#count, deliver, mayStart, refusal }))
  }

  /** Joins a shared feed in a reserved place. Its id is that of every subscriber; asked for a second time, it is the feed that is there. */
  join({ feedId, run, ...input }: SharedFeedStart): void {
    this.release()
    if (this.#ended || this.#running.has(feedId)) return
    const { mayRead, sendShared: send } = this.#output
    const messageOf = (ended: Run): EncodedText => new EncodedText(resultText(feedId, ended))
    const gapOf = (missed: number): EncodedText => new EncodedText(notificationText("feed.gap", { feedId, missed }))
    const subscription = this.#feeds.shared.join<ShownRun, Failure>({ ...input, messageOf, gapOf }, { mayRead, run, send })
    // A first tick may have ended already, and its sending have closed the connection.
    if (this.#isEnded()) subscription.stop()
    else this.#running.set(feedId, subscription)
  }

  /** Follows a durable feed in a reserved place, which is free again when the feed was removed. */
  follow(feedId: string, start: (output: FeedOutput, removed: () => void) => Subscription): void {
    this.release()
    if (this.#ended || this.#running.has(feedId)) return
    let subscription: Subscription | undefined
    let isRemoved = false
    const removed = (): void => {
      isRemoved = true
      if (subscription !== undefined && this.#running.get(feedId) === subscription) this.#running.delete(feedId)
    }
    subscription = start(this.#output, removed)
    // It may have been removed before anything of it was sent.
    if (!isRemoved) this.#running.set(feedId, subscription)
  }

  /** Whether a feed with this id is running, or followed. */
  has(feedId: string): boolean {
    return this.#running.has(feedId)
  }

  #isEnded(): boolean {
    return this.#ended
  }

  readonly #count = (by: 1 | -1): void => {
    this.#runsInFlight += by
  }

  /** Delivered for each start, within the allowance of refused runs: a feed whose starts were left out here would be silent without a reason. */
  readonly #refusal = (): Overloaded | undefined => {
    const runsInFlight = this.#runsInFlight
    if (runsInFlight < this.#output.maxRuns()) return undefined
    return new Overloaded({
      message: "too many runs of this connection's feeds are in flight; this one did not start",
      details: { runsInFlight }
    })
  }

  stop(feedId: string): FeedNotFound | undefined {
    const feed = this.#running.get(feedId)
    if (feed === undefined) return feedNotFound(feedId)
    feed.stop()
    this.#running.delete(feedId)
    return undefined
  }

  /** Stops every feed; no new one starts. */
  end(): void {
    this.#ended = true
    for (const feed of this.#running.values()) feed.stop()
    this.#running.clear()
  }

  /** No further run or feed starts; runs in flight are still delivered. */
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

  #deliver(feedId: string, run: Run): void {
    if (Exit.isFailure(run.exit)) this.#output.refused()
    this.#output.enqueue(resultText(feedId, run))
  }
}
