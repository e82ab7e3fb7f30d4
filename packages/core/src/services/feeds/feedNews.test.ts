/** News of feeds reaches those who follow them: over the relay at once, and by a look at the log where it was lost; many read the log once. */
import { EncodedText } from "../../domain/encoding/encodedText.ts"
import { type Context, Effect, Layer, TestClock, TestContext } from "effect"
import { describe, expect, it } from "vitest"
import type { DurableFeed, FeedEntry, FeedPlace } from "../../domain/feeds/durableFeed.ts"
import { Entropy } from "../../ports/entropy.ts"
import { DurableFeeds } from "../../ports/feeds/durableFeeds.ts"
import { FeedRelay, memoryRelay } from "../../ports/feeds/feedRelay.ts"
import { FeedNews } from "./feedNews.ts"
import type { FeedPage } from "./feedTail.ts"

const feed: DurableFeed = {
  feedId: "f",
  projectId: "p",
  execute: "{}",
  mode: "FIXED",
  periodMs: 1_000,
  createdAtMs: 0
}

/** A log that is written by hand. */
class Log {
  readonly entries: Array<FeedEntry> = []
  reads = 0
  isRemoved = false

  end(seq: number): void {
    this.entries.push({ epoch: 1, seq, tick: seq, scheduledAtMs: 0, startedAtMs: 0, endedAtMs: 1, failure: null })
  }

  get port(): Context.Tag.Service<DurableFeeds> {
    return {
      entries: (_: string, after: FeedPlace | undefined, max: number) =>
        Effect.sync(() => {
          this.reads += 1
          return this.entries.filter(({ seq }) => after === undefined || seq > after.seq).slice(0, max)
        }),
      unfinished: () => Effect.succeed([]),
      progress: () => Effect.succeed({ last: this.entries.at(-1) }),
      find: () => Effect.suspend(() => (this.isRemoved ? Effect.succeedNone : Effect.succeedSome(feed)))
    } as unknown as Context.Tag.Service<DurableFeeds>
  }
}

const serverOn = (log: Log, relay: Context.Tag.Service<FeedRelay>) =>
  Effect.map(
    Layer.build(
      Layer.fresh(FeedNews.layer).pipe(
        Layer.provide([Layer.succeed(DurableFeeds, log.port), Layer.succeed(FeedRelay, relay), Entropy.layer])
      )
    ),
    (context) => context.unsafeMap.get(FeedNews.key) as Context.Tag.Service<FeedNews>
  )

/** Lets everything happen that needs no time. */
const settle = Effect.repeatN(Effect.yieldNow(), 200)

const inModelTime = (test: Effect.Effect<void>) => Effect.runPromise(Effect.provide(test, TestContext.TestContext))

const follower = (news: Context.Tag.Service<FeedNews>) => {
  const told = { count: 0 }
  return { told, ...news.follow(feed, () => (told.count += 1)) }
}

describe("news of a feed", () => {
  it("reaches followers of another server at once, and those whom it did not reach by a look within 250 ms", () =>
    inModelTime(
      Effect.scoped(
        Effect.gen(function* () {
          const [log, relay] = [new Log(), memoryRelay("test")]
          const [one, two, apart] = [yield* serverOn(log, relay), yield* serverOn(log, relay), yield* serverOn(log, memoryRelay())]
          const [here, there] = [follower(two), follower(apart)]
          yield* settle
          const [mine, theirs] = [here.told.count, there.told.count]
          log.end(0)
          one.tell("f")
          yield* settle
          expect([here.told.count, there.told.count]).toEqual([mine + 1, theirs])
          yield* TestClock.adjust(250)
          expect([here.told.count, there.told.count]).toEqual([mine + 1, theirs + 1])
          log.entries.length = 0
          log.isRemoved = true
          one.tell("f")
          yield* settle
          expect(here.told.count).toBe(mine + 2)
        })
      )
    ))

  it("wakes nobody who has left, and a feed that nobody follows is not looked at", () =>
    inModelTime(
      Effect.scoped(
        Effect.gen(function* () {
          const log = new Log()
          const news = yield* serverOn(log, memoryRelay("test"))
          const [one, two] = [follower(news), follower(news)]
          yield* settle
          one.unlisten()
          const left = one.told.count
          log.end(0)
          news.tell("f")
          yield* settle
          expect([one.told.count, two.told.count]).toEqual([left, left + 1])
          two.unlisten()
          yield* settle
          const { reads } = log
          yield* TestClock.adjust(10_000)
          expect(log.reads).toBe(reads)
        })
      )
    ))

  it("is read by one of many, and again only after the next", () =>
    inModelTime(
      Effect.scoped(
        Effect.gen(function* () {
          const log = new Log()
          const news = yield* serverOn(log, memoryRelay())
          const all = Array.from({ length: 100 }, () => follower(news))
          yield* settle
          let reads = 0
          const read = Effect.sync((): FeedPage => {
            reads += 1
            return { runs: log.entries.map(({ epoch, seq }) => ({ epoch, seq, text: new EncodedText(String(seq)) })), behind: "waiting" }
          })
          const pages = Effect.forEach(all, ({ page }) => page(undefined, read), { concurrency: "unbounded" })
          expect((yield* pages).map(({ runs }) => runs.length)).toEqual(all.map(() => 0))
          log.end(0)
          news.tell("f")
          yield* settle
          expect((yield* pages).map(({ runs }) => runs.length)).toEqual(all.map(() => 1))
          expect(reads).toBe(2)
        })
      )
    ))

  it("is told to one of many, and to the others when that has read it, or has not within 20 ms", () =>
    inModelTime(
      Effect.scoped(
        Effect.gen(function* () {
          const log = new Log()
          const news = yield* serverOn(log, memoryRelay())
          const all = Array.from({ length: 100 }, () => follower(news))
          const countsOf = () => all.map(({ told }) => told.count)
          const read = Effect.succeed<FeedPage>({ runs: [], behind: "waiting" })
          yield* settle
          yield* TestClock.adjust(20)
          const before = countsOf()
          log.end(0)
          news.tell("f")
          yield* settle
          expect(countsOf()).toEqual(before.map((count, at) => (at === 0 ? count + 1 : count)))
          yield* all[0]?.page(undefined, read) ?? Effect.void
          yield* settle
          expect(countsOf()).toEqual(before.map((count) => count + 1))
          log.end(1)
          news.tell("f")
          yield* settle
          expect(countsOf().filter((count, at) => count === (before[at] ?? 0) + 2)).toHaveLength(1)
          yield* TestClock.adjust(19)
          expect(countsOf().filter((count, at) => count === (before[at] ?? 0) + 2)).toHaveLength(1)
          yield* TestClock.adjust(1)
          expect(countsOf()).toEqual(before.map((count) => count + 2))
        })
      )
    ))
})
