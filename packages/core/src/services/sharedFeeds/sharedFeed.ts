/** One shared feed on this server: one run a tick, sent to all who subscribe (decision D47). */
import { Effect, Exit, Option } from "effect"
import type { EncodedText } from "../../domain/encoding/encodedText.ts"
import { firstStartInMs } from "../../domain/feeds/anchoredGrid.ts"
import { afterRefusal, type Allowance, freshAllowance, refusedRuns } from "../../domain/runs/allowance.ts"
import type { Feed, FeedPlan, FeedRun } from "../feeds/feed.ts"
import type { Feeds } from "../feeds/feeds.ts"
import { Audience, type FanOut, type Member } from "./fanOut.ts"
import type { Part, Tenure } from "./membership.ts"

/** Messages that may wait for their sending before ticks are left out. */
const mostBacklog = 16
/** Messages of another server that may wait; further ones are dropped, which shows in the numbers. */
const mostFollowed = 256

/** A shared feed as its first subscriber asks for it. Everyone with the same `feedKey` asks for the same. */
export interface SharedFeedInput<A, E> extends Pick<FeedPlan<A, E>, "mode" | "periodMs" | "maxOverlap" | "startedBy"> {
  readonly feedKey: string
  /** What subscribers are sent of a run that has ended; made once for all of them. */
  readonly messageOf: (run: FeedRun<A, E>) => EncodedText
  /** What they are sent when results did not arrive from the server that has the feed. */
  readonly gapOf: (missed: number) => EncodedText
}

/** Whoever subscribes. */
export interface Subscriber<A, E> extends Member<EncodedText> {
  /**
   * Runs the program once under this id, or a new one, for the subscriber's project in its current state. The oldest subscriber's is what
   * runs.
   */
  readonly run: (runId?: string) => Effect.Effect<A, E>
}

/** One subscriber's part in a feed. */
export interface Subscription {
  /** Nothing more is sent to it. The last one to leave ends the feed; its running tick ends as a plain feed's does. */
  readonly stop: () => void
  /** No further tick needs to start for it; it is still sent those in flight. */
  readonly retire: () => void
  /** Whether a result is on its way. */
  readonly isRunning: boolean
}

/** What shared feeds are built on. */
export interface SharedGround {
  readonly feeds: Feeds["Type"]
  readonly fanOut: FanOut
  /** The monotonic clock, and that of the Unix epoch, in milliseconds. */
  readonly nowMs: () => number
  readonly wallClockMs: () => number
  /** Takes part in a feed that servers share, until the returned function is called; absent on a server that shares with none. */
  readonly takePart: ((feedKey: string, part: Part) => () => void) | undefined
}

/** One feed, from its first subscriber to its last. */
export class SharedFeed<A, E> {
  readonly #ground: SharedGround
  readonly #input: SharedFeedInput<A, E>
  readonly #ended: () => void
  readonly #audience: Audience<EncodedText>
  readonly #runs = new Map<Member<EncodedText>, Subscriber<A, E>["run"]>()
  readonly #retired = new Set<Member<EncodedText>>()
  /** For refused ticks: they cost no credits, but they cost the service time. */
  #allowance: Allowance
  /** What runs the ticks here; absent while another server does. */
  #feed: Feed<A, E> | undefined
  #endPart: (() => void) | undefined

  /** Without subscribers. `ended` is called once, when the last one has left. */
  constructor(ground: SharedGround, input: SharedFeedInput<A, E>, ended: () => void) {
    this.#ground = ground
    this.#input = input
    this.#ended = ended
    this.#audience = new Audience(ground.fanOut)
    this.#allowance = freshAllowance(refusedRuns, ground.nowMs())
  }

  /** Subscribes; the first one starts the feed. */
  join(subscriber: Subscriber<A, E>): Subscription {
    this.#audience.join(subscriber)
    this.#runs.set(subscriber, subscriber.run)
    if (this.#runs.size === 1) this.#begin()
    const isRunning = (): boolean => this.#runs.has(subscriber) && (this.#feed?.isRunning === true || this.#audience.backlog > 0)
    return {
      stop: () => this.#leave(subscriber),
      retire: () => this.#retire(subscriber),
      get isRunning() {
        return isRunning()
      }
    }
  }

  #begin(): void {
    const { takePart } = this.#ground
    if (takePart === undefined) return this.#startTicks(undefined)
    this.#endPart = takePart(this.#input.feedKey, {
      own: (tenure) => this.#startTicks(tenure),
      disown: () => this.#stopTicks(),
      follow: (message, missed) => this.#send(message, missed)
    })
    // The part may have begun, and a message of it have closed the only connection.
    if (this.#runs.size === 0) this.#endPart()
  }

  #startTicks(tenure: Tenure | undefined): void {
    const { feedKey, maxOverlap, mode, periodMs } = this.#input
    if (this.#isRetired) return
    if (tenure !== undefined && tenure.missed > 0) this.#audience.publish(this.#input.gapOf(tenure.missed))
    const inMs = firstStartInMs(feedKey, mode, periodMs, this.#ground.wallClockMs())
    const feed = this.#ground.feeds.start<A, E>({
      mode,
      periodMs,
      maxOverlap,
      first: { seq: tenure?.nextSeq ?? 0, inMs },
      startedBy: this.#input.startedBy,
      run: (seq) => this.#tick(seq, tenure),
      mayStart: () => this.#mayStart(tenure !== undefined),
      deliver: (run) => this.#deliver(run, tenure)
    })
    this.#feed = feed
    // A first tick may have ended, and its sending have closed the connection.
    if (this.#runs.size === 0) feed.stop()
  }

  /** Whether no tick needs to start for anyone. */
  get #isRetired(): boolean {
    return this.#runs.size > 0 && this.#retired.size === this.#runs.size
  }

  #stopTicks(): void {
    this.#feed?.stop()
    this.#feed = undefined
  }

  #tick(seq: number, tenure: Tenure | undefined): Effect.Effect<A, E> {
    if (tenure === undefined) return Effect.suspend(() => this.#oldestRun())
    return Effect.flatMap(tenure.take(seq), (runId) => (Option.isSome(runId) ? this.#oldestRun(runId.value) : Effect.interrupt))
  }

  #oldestRun(runId?: string): Effect.Effect<A, E> {
    const { oldest } = this.#audience
    const run = oldest === undefined ? undefined : this.#runs.get(oldest)
    return run === undefined ? Effect.interrupt : run(runId)
  }

  /** A tick whose result nobody would read is left out, as a plain feed's run is; who reads on other servers is not known here. */
  #mayStart(isForOthers: boolean): boolean {
    if (this.#audience.backlog >= mostBacklog || !(isForOthers || this.#audience.hasReader)) return false
    return afterRefusal(this.#allowance, refusedRuns, this.#ground.nowMs()).left >= 0
  }

  #deliver(run: FeedRun<A, E>, tenure: Tenure | undefined): void {
    if (Exit.isFailure(run.exit)) this.#allowance = afterRefusal(this.#allowance, refusedRuns, this.#ground.nowMs())
    const message = this.#input.messageOf(run)
    if (tenure === undefined || tenure.publish(run.seq, message)) this.#audience.publish(message)
  }

  #send(message: EncodedText, missed: number): void {
    // Whoever owns the feed does not wait for us.
    if (this.#audience.backlog >= mostFollowed) return
    if (missed > 0) this.#audience.publish(this.#input.gapOf(missed))
    this.#audience.publish(message)
  }

  #leave(subscriber: Subscriber<A, E>): void {
    if (!this.#runs.delete(subscriber)) return
    this.#audience.leave(subscriber)
    this.#retired.delete(subscriber)
    if (this.#runs.size > 0) return
    this.#endPart?.()
    this.#stopTicks()
    this.#audience.clear()
    this.#ended()
  }

  #retire(subscriber: Subscriber<A, E>): void {
    if (!this.#runs.has(subscriber)) return
    this.#retired.add(subscriber)
    if (this.#isRetired) this.#feed?.retire()
  }
}
