/** One shared feed on this server: one run a tick, sent to all who subscribe (decision D47). */
import { Effect, Exit } from "effect"
import type { EncodedText } from "../../domain/encoding/encodedText.ts"
import { firstStartInMs } from "../../domain/feeds/anchoredGrid.ts"
import { afterRefusal, type Allowance, freshAllowance, refusedRuns } from "../../domain/runs/allowance.ts"
import type { Feed, FeedPlan, FeedRun } from "../feeds/feed.ts"
import type { Feeds } from "../feeds/feeds.ts"
import { Audience, type FanOut, type Member } from "./fanOut.ts"

/** Messages that may wait for their sending before ticks are left out. */
const mostBacklog = 16

/** A shared feed as its first subscriber asks for it. Everyone with the same `feedKey` asks for the same. */
export interface SharedFeedInput<A, E> extends Pick<FeedPlan<A, E>, "mode" | "periodMs" | "maxOverlap"> {
  readonly feedKey: string
  /** What subscribers are sent of a run that has ended; made once for all of them. */
  readonly messageOf: (run: FeedRun<A, E>) => EncodedText
}

/** Whoever subscribes. */
export interface Subscriber<A, E> extends Member<EncodedText> {
  /** Runs the program once, for the subscriber's project in its current state. The oldest subscriber's is what runs. */
  readonly run: Effect.Effect<A, E>
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
}

/** One feed, from its first subscriber to its last. */
export class SharedFeed<A, E> {
  readonly #ground: SharedGround
  readonly #input: SharedFeedInput<A, E>
  readonly #ended: () => void
  readonly #audience: Audience<EncodedText>
  readonly #runs = new Map<Member<EncodedText>, Effect.Effect<A, E>>()
  readonly #retired = new Set<Member<EncodedText>>()
  /** For refused ticks: they cost no credits, but they cost the service time. */
  #allowance: Allowance
  #feed: Feed<A, E> | undefined

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
    if (this.#feed === undefined) {
      this.#feed = this.#start()
      // A first tick may have ended, and its sending have closed the connection.
      if (this.#runs.size === 0) this.#feed.stop()
    }
    const isRunning = (): boolean => this.#runs.has(subscriber) && (this.#feed?.isRunning === true || this.#audience.backlog > 0)
    return {
      stop: () => this.#leave(subscriber),
      retire: () => this.#retire(subscriber),
      get isRunning() {
        return isRunning()
      }
    }
  }

  #start(): Feed<A, E> {
    const { feedKey, maxOverlap, mode, periodMs } = this.#input
    const inMs = firstStartInMs(feedKey, mode, periodMs, this.#ground.wallClockMs())
    return this.#ground.feeds.start<A, E>({
      mode,
      periodMs,
      maxOverlap,
      first: { seq: 0, inMs },
      run: Effect.suspend(() => this.#oldestRun),
      mayStart: () => this.#mayStart(),
      deliver: (run) => this.#deliver(run)
    })
  }

  get #oldestRun(): Effect.Effect<A, E> {
    const { oldest } = this.#audience
    return (oldest === undefined ? undefined : this.#runs.get(oldest)) ?? Effect.interrupt
  }

  /** A tick whose result nobody would read is left out, as a plain feed's run is. */
  #mayStart(): boolean {
    if (this.#audience.backlog >= mostBacklog || !this.#audience.hasReader) return false
    return afterRefusal(this.#allowance, refusedRuns, this.#ground.nowMs()).left >= 0
  }

  #deliver(run: FeedRun<A, E>): void {
    if (Exit.isFailure(run.exit)) this.#allowance = afterRefusal(this.#allowance, refusedRuns, this.#ground.nowMs())
    this.#audience.publish(this.#input.messageOf(run))
  }

  #leave(subscriber: Subscriber<A, E>): void {
    if (!this.#runs.delete(subscriber)) return
    this.#audience.leave(subscriber)
    this.#retired.delete(subscriber)
    if (this.#runs.size > 0) return
    this.#feed?.stop()
    this.#audience.clear()
    this.#ended()
  }

  #retire(subscriber: Subscriber<A, E>): void {
    if (!this.#runs.has(subscriber)) return
    this.#retired.add(subscriber)
    if (this.#retired.size === this.#runs.size) this.#feed?.retire()
  }
}
