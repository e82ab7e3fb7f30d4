/** One run a tick while anyone subscribes, sent to each subscriber from its joining to its leaving; in model time. */
import { makeSimClock, makeSimRuntime, type SimClock } from "@sibyl/testing"
import { Context, Effect, Exit, Layer } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { EncodedText } from "../../domain/encoding/encodedText.ts"
import { firstStartInMs } from "../../domain/feeds/anchoredGrid.ts"
import { Overloaded } from "../../contract/errors.ts"
import type { FeedMode } from "../../domain/runs/feedSchedule.ts"
import { Entropy } from "../../ports/entropy.ts"
import { FeedLeases } from "../../ports/feeds/feedLeases.ts"
import { FeedRelay } from "../../ports/feeds/feedRelay.ts"
import { memoryFeedLeases } from "../../ports/memory/memoryFeedLeases.ts"
import { emptyState } from "../../ports/memory/memoryState.ts"
import { Feeds } from "../feeds/feeds.ts"
import { LeaseKeeper } from "../feeds/leaseKeeper.ts"
import type { FeedRun } from "../feeds/feed.ts"
import type { Subscriber, Subscription } from "./sharedFeed.ts"
import { SharedFeeds } from "./sharedFeeds.ts"

const periodMs = 100
const leases = Layer.sync(FeedLeases, () => memoryFeedLeases(emptyState("test")))
const alone = Layer.mergeAll(Feeds.layer, Entropy.layer, FeedRelay.layerAlone, Layer.provideMerge(LeaseKeeper.layer, leases))
const feedKey = "ab".repeat(32)

type Run = FeedRun<number, Overloaded>

/** A run as its message tells of it. */
interface Told {
  readonly seq: number
  readonly run: number | string
}

const tell = ({ exit, seq }: Run): EncodedText =>
  new EncodedText(JSON.stringify({ seq, run: Exit.isSuccess(exit) ? exit.value : "refused" }))

/** One who subscribes for a time; all that it is told, and when. */
class Guest implements Subscriber<number, Overloaded> {
  readonly run: () => Effect.Effect<number, Overloaded>
  readonly told: Array<Told> = []
  reads = true
  subscription: Subscription | undefined
  constructor(run: Effect.Effect<number, Overloaded>) {
    this.run = () => run
  }
  mayRead = (): boolean => this.reads
  send = ({ text }: EncodedText): void => void this.told.push(JSON.parse(text) as Told)
}

/** Runs as the program has them: their number, start, and end if they ended. */
interface Begun {
  readonly startMs: number
  endMs: number | undefined
}

const open = (clock: SimClock, mode: FeedMode, takesMs: (run: number) => number) => {
  const { close, runtime } = makeSimRuntime(clock, Layer.provide(SharedFeeds.layer, alone))
  const shared = Context.get(runtime.context, SharedFeeds)
  const begun: Array<Begun> = []
  const run = Effect.suspend(() => {
    const each: Begun = { startMs: clock.nowMs(), endMs: undefined }
    const number = begun.push(each) - 1
    const takes = takesMs(number)
    const ended = Effect.sync(() => {
      each.endMs = clock.nowMs()
      return number
    })
    return takes === 0 ? ended : Effect.zipRight(Effect.sleep(takes), ended)
  })
  const join = (guest: Guest = new Guest(run), key = feedKey): Guest => {
    guest.subscription = shared.join(
      { feedKey: key, mode, periodMs, maxOverlap: 4, messageOf: tell, gapOf: () => new EncodedText("{}") },
      guest
    )
    return guest
  }
  return { begun, close, join, run, shared }
}

/** People who are there from one time to another. Each has a fraction of a millisecond of its own, so that no two things happen at once. */
const stays = fc
  .array(fc.tuple(fc.nat(2_000), fc.integer({ min: 1, max: 1_000 })), { minLength: 1, maxLength: 12 })
  .map((all) => all.map(([at, lasts], index) => ({ from: at + (index + 1) / 64, to: at + lasts + (index + 1) / 64 + 1 / 128 })))

describe("any number of subscribers that come and go", () => {
  const durations = fc.array(fc.nat(250), { minLength: 1, maxLength: 5 })
  const mode = fc.constantFrom<FeedMode>("FIXED", "SEQUENTIAL", "PARALLEL")

  it("are each told every run that ends while they are there, once, in order; nobody else starts one", () => {
    fc.assert(
      fc.property(stays, durations, mode, (present, takes, feedMode) => {
        const clock = makeSimClock(1_000)
        const { begun, close, join, shared } = open(clock, feedMode, (run) => takes[run % takes.length] ?? 0)
        const guests: Array<{ readonly guest: Guest; readonly from: number; readonly to: number }> = []
        const originMs = clock.nowMs()
        for (const { from, to } of present) {
          clock.at(originMs + from, () => {
            const guest = join()
            guests.push({ guest, from: originMs + from, to: originMs + to })
            clock.at(originMs + to, () => guest.subscription?.stop())
          })
        }
        clock.advance(4_000)
        for (const { from, guest, to } of guests) {
          const due = begun.flatMap(({ endMs, startMs }, run) =>
            endMs !== undefined && endMs >= from && endMs < to && isOneLife(present, originMs, startMs, endMs) ? [{ endMs, run }] : []
          )
          const inOrder = due.toSorted((left, right) => left.endMs - right.endMs || left.run - right.run)
          expect(guest.told.filter(({ run }) => run !== "refused").map(({ run }) => run)).toEqual(inOrder.map(({ run }) => run))
        }
        const isCovered = ({ startMs }: Begun): boolean => guests.some(({ from, to }) => from <= startMs && startMs < to)
        expect(begun.every(isCovered)).toBe(true)
        expect(shared.count()).toBe(0)
        close()
      }),
      { numRuns: 200 }
    )
  })

  it("have one run at each point of the grid at which at least one of them is there", () => {
    const gridMode = fc.constantFrom<FeedMode>("FIXED", "PARALLEL")
    const firstMs = firstStartInMs(feedKey, "FIXED", periodMs, 1_000)
    // Nobody comes or leaves at a point of the grid itself.
    const betweenPoints = fc.tuple(fc.nat(20), fc.integer({ min: 1, max: 99 })).map(([point, later]) => firstMs + point * periodMs + later)
    const offGrid = fc
      .tuple(betweenPoints, betweenPoints)
      .map(([one, other]) => ({ from: Math.min(one, other), to: Math.max(one, other) + 0.5 }))
    fc.assert(
      fc.property(fc.array(offGrid, { minLength: 1, maxLength: 12 }), gridMode, fc.nat(periodMs - 1), (stays, feedMode, takes) => {
        const clock = makeSimClock(1_000)
        const { begun, close, join } = open(clock, feedMode, () => takes)
        const originMs = clock.nowMs()
        for (const { from, to } of stays) {
          clock.at(originMs + from, () => {
            const { subscription } = join()
            clock.at(originMs + to, () => subscription?.stop())
          })
        }
        const due: Array<number> = []
        for (let at = originMs + firstStartInMs(feedKey, feedMode, periodMs, originMs); at < originMs + 4_000; at += periodMs) {
          if (stays.some(({ from, to }) => originMs + from < at && at < originMs + to)) due.push(at)
        }
        clock.advance(4_000)
        expect(begun.map(({ startMs }) => startMs)).toEqual(due)
        close()
      }),
      { numRuns: 200 }
    )
  })
})

/** Whether the feed went on from one time to another: when everyone has left, its runs in flight are told nobody. */
const isOneLife = (
  stays: ReadonlyArray<{ readonly from: number; readonly to: number }>,
  originMs: number,
  fromMs: number,
  toMs: number
) => {
  let reached = fromMs - originMs
  for (const { from, to } of stays.toSorted((left, right) => left.from - right.from)) if (from <= reached) reached = Math.max(reached, to)
  return reached > toMs - originMs
}

describe("a shared feed", () => {
  it("numbers its ticks for all alike: who joins later begins with the number that is next", () => {
    const clock = makeSimClock(1_000)
    const { close, join } = open(clock, "SEQUENTIAL", () => 10)
    const first = join()
    clock.advance(250)
    const second = join()
    clock.advance(190)
    expect(first.told.map(({ seq }) => seq)).toEqual([0, 1, 2, 3])
    expect(second.told.map(({ seq }) => seq)).toEqual([3])
    close()
  })

  it("leaves ticks out while nobody reads, and goes on when one does", () => {
    const clock = makeSimClock(1_000)
    const { begun, close, join } = open(clock, "FIXED", () => 0)
    const [one, other] = [join(), join()]
    clock.advance(300)
    expect(begun.length).toBe(3)
    one.reads = false
    clock.advance(200)
    expect(begun.length).toBe(5)
    other.reads = false
    clock.advance(500)
    expect(begun.length).toBe(5)
    one.reads = true
    clock.advance(100)
    expect([one, other].map(({ told }) => told.map(({ seq }) => seq))).toEqual([
      [0, 1, 2, 5],
      [0, 1, 2, 3, 4]
    ])
    close()
  })

  it("tells everyone of a refusal, 256 times at once and then 64 times a second", () => {
    const clock = makeSimClock(1_000)
    const { close, join } = open(clock, "FIXED", () => 0)
    const refused = (): Guest => join(new Guest(Effect.fail(new Overloaded({ message: "no" }))))
    const [one, other] = [refused(), refused()]
    clock.advance(30_000)
    expect(one.told.length).toBe(300)
    expect(one.told).toEqual(other.told)
    close()
  })

  it("is another one for another key", () => {
    const clock = makeSimClock(1_000)
    const { begun, close, join, shared } = open(clock, "SEQUENTIAL", () => 0)
    join()
    join(undefined, "cd".repeat(32))
    expect([begun.length, shared.count()]).toEqual([2, 2])
    close()
  })

  it("delivers what is in flight when all retire, and starts nothing more", () => {
    const clock = makeSimClock(1_000)
    const { begun, close, join } = open(clock, "SEQUENTIAL", () => 50)
    const guests = [join(), join()]
    for (const { subscription } of guests) subscription?.retire()
    expect(guests.map(({ subscription }) => subscription?.isRunning)).toEqual([true, true])
    clock.advance(1_000)
    expect(begun.length).toBe(1)
    expect(guests.map(({ subscription, told }) => [told.length, subscription?.isRunning])).toEqual([
      [1, false],
      [1, false]
    ])
    close()
  })

  it("ends when the message of its first tick makes its only subscriber leave", () => {
    const clock = makeSimClock(1_000)
    const { begun, close, join, run, shared } = open(clock, "SEQUENTIAL", () => 0)
    const guest = new Guest(run)
    let left = false
    Object.assign(guest, {
      send: () => {
        left = true
        guest.subscription?.stop()
      }
    })
    join(guest)
    // Its joining had not returned when it was sent; a connection stops it then.
    if (left) guest.subscription?.stop()
    clock.advance(1_000)
    expect([begun.length, shared.count()]).toEqual([1, 0])
    close()
  })
})
