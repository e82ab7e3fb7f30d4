/** The end of one durable feed's log, as this process sees it: read once for all who follow it here, and looked at when there is no news. */
import type { EncodedText } from "../../domain/encoding/encodedText.ts"
import { Effect, Exit, Fiber, Option, type Scope } from "effect"
import type { DurableFeed, FeedPlace } from "../../domain/feeds/durableFeed.ts"
import { DurableFeeds } from "../../ports/feeds/durableFeeds.ts"

/** How often the log is looked at without news: news of another server may be lost, or nothing may carry it. */
const lookMs = 250

/** The most runs that a look reads. */
const lookEntries = 32

/** How long all others wait for the page that the first one reads. */
const firstMs = 20

/** Pages that are kept for others who ask for the same, until there is news. Who comes back from long ago reads for himself. */
const keptPages = 8

/** The place before the first run that has not ended: what comes after it ends from now on. Undefined: there was no run. */
export const endOf = (feedId: string): Effect.Effect<FeedPlace | undefined, never, DurableFeeds> =>
  Effect.gen(function* () {
    const feeds = yield* DurableFeeds
    const [open] = yield* feeds.unfinished(feedId)
    if (open !== undefined) return { epoch: open.epoch, seq: open.seq - 1 }
    const { last } = yield* feeds.progress(feedId)
    return last === undefined ? undefined : { epoch: last.epoch, seq: last.seq }
  })

/** The next runs of a feed behind a place that have ended, as every follower is sent them. */
export interface FeedPage {
  /** In order; `text` is absent where nothing is kept of a run. */
  readonly runs: ReadonlyArray<FeedPlace & { readonly text: EncodedText | undefined }>
  /** `more`: there may be further ones; `waiting`: the next one has not ended, or not begun; `gone`: the feed was removed. */
  readonly behind: "more" | "waiting" | "gone"
}

/** One feed that somebody follows here. */
export class FeedTail {
  readonly #feed: DurableFeed
  readonly #scope: Scope.Scope
  readonly #listeners = new Set<() => void>()
  /** By the place after which they begin, those that were read since listeners were told. */
  #pages = new Map<string, Fiber.RuntimeFiber<FeedPage>>()
  readonly #news = Effect.unsafeMakeLatch()
  /** Opened whenever a page has been read. */
  readonly #isRead = Effect.unsafeMakeLatch()

  constructor(feed: DurableFeed, scope: Scope.Scope) {
    this.#feed = feed
    this.#scope = scope
  }

  /** How many listen. */
  get listeners(): number {
    return this.#listeners.size
  }

  /** Calls back when there is something to read, until the returned function is called. */
  listen(then: () => void): () => void {
    // Two listeners of one function are two.
    const own = (): void => then()
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }

  /** There is news: the log is looked at now. */
  readonly look = (): void => this.#news.unsafeOpen()

  /** A page, read by the first one who asks for it. */
  page<R>(after: FeedPlace | undefined, read: Effect.Effect<FeedPage, never, R>): Effect.Effect<FeedPage, never, R> {
    return Effect.suspend(() => {
      const pages = this.#pages
      const key = after === undefined ? "" : `${after.epoch}:${after.seq}`
      const known = pages.get(key)
      // Most of thousands of followers ask when it has been read.
      if (known !== undefined) return known.unsafePoll() ?? Effect.flatten(Fiber.await(known))
      if (pages.size >= keptPages) return read
      return Effect.flatMap(Effect.forkIn(Effect.interruptible(read), this.#scope), (reading) => {
        pages.set(key, reading)
        reading.addObserver((exit) => {
          if (Exit.isFailure(exit)) pages.delete(key)
          this.#isRead.unsafeOpen()
        })
        return Effect.flatten(Fiber.await(reading))
      })
    })
  }

  /** Looks at the log for ever, with news and without, and tells the listeners of what has ended there, and that the feed was removed. */
  get watch(): Effect.Effect<never, never, DurableFeeds> {
    return Effect.suspend(() => {
      /** What has ended until here was told. */
      let place: FeedPlace | undefined
      let isFirst = true
      const step = Effect.gen(this, function* () {
        const { feedId, projectId } = this.#feed
        const feeds = yield* DurableFeeds
        if (isFirst) place = yield* endOf(feedId)
        const entries = yield* feeds.entries(feedId, place, lookEntries)
        const open = entries.findIndex(({ endedAtMs }) => endedAtMs === null)
        const last = entries[(open < 0 ? entries.length : open) - 1]
        const isGone = entries.length === 0 && Option.isNone(yield* feeds.find(projectId, feedId))
        // Something may have been read, and have ended, before the first look.
        if (last !== undefined || isGone || isFirst) yield* this.#tell()
        if (last !== undefined) place = { epoch: last.epoch, seq: last.seq }
        isFirst = false
      })
      // While the log cannot be read, there is no news; others report that.
      const quiet = Effect.catchAllCause(step, () => Effect.void)
      const wait = Effect.timeoutOption(this.#news.await, lookMs)
      return Effect.forever(
        Effect.zipRight(
          Effect.zipRight(
            Effect.sync(() => this.#news.unsafeClose()),
            quiet
          ),
          wait
        )
      )
    })
  }

  /** Tells one listener, and the others when that has read what is new: of thousands who ask before, each would wait a second time. */
  #tell(): Effect.Effect<void> {
    this.#pages = new Map()
    this.#isRead.unsafeClose()
    const [first, ...others] = this.#listeners
    first?.()
    if (others.length === 0) return Effect.void
    // The first one may not read now, or has left.
    return Effect.ensuring(
      Effect.timeoutOption(this.#isRead.await, firstMs),
      Effect.sync(() => {
        for (const then of others) if (this.#listeners.has(then)) then()
      })
    )
  }
}
