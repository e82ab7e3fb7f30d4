/** The feeds keep the laws of decisions D35 to D40 on arbitrary traffic, and a day of them without any drift. */
import {
  type FeedTraffic,
  feedTraffic,
  type Grain,
  judgeFeed,
  makeSimClock,
  makeSimRuntime,
  playTraffic,
  type SimClock,
  type StartFeed
} from "@sibyl/testing"
import { soakCount } from "@sibyl/testing/soak"
import { Cause, Context, Effect, Exit, Option } from "effect"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Schedule } from "../../domain/runs/feedSchedule.ts"
import type { FeedRun } from "./feed.ts"
import { Feeds } from "./feeds.ts"

/** The result or failure of a test's run: its number among the starts. */
class Trace {
  readonly run: number
  constructor(run: number) {
    this.run = run
  }
}

const traceOf = (exit: FeedRun<Trace, Trace>["exit"]): Trace | undefined => {
  if (Exit.isSuccess(exit)) return exit.value
  const found = Option.orElse(Cause.failureOption(exit.cause), () => Cause.dieOption(exit.cause))
  return Option.isSome(found) && found.value instanceof Trace ? found.value : undefined
}

/** The real scheduler, on a clock. */
const realFeeds = (clock: SimClock): { readonly startFeed: StartFeed; readonly close: () => void } => {
  const { close, runtime } = makeSimRuntime(clock, Feeds.layer)
  const feeds = Context.get(runtime.context, Feeds)
  const startFeed: StartFeed = ({ begin, deliver, law }) =>
    feeds.start<Trace, Trace>({
      ...law,
      run: Effect.async((resume) => {
        begin((ending, run) => {
          const trace = new Trace(run)
          const exits = { value: Effect.succeed(trace), failure: Effect.fail(trace), defect: Effect.die(trace) }
          resume(exits[ending])
        })
      }),
      deliver: ({ exit, scheduledAtMs, seq, startedAtMs }) => {
        const trace = traceOf(exit)
        const outcome = trace === undefined ? "refused" : Exit.isSuccess(exit) ? "ok" : "failed"
        deliver({ seq, scheduledAtMs, startedAtMs, run: trace?.run, outcome })
      }
    })
  return { startFeed, close }
}

const violationsIn = (traffic: FeedTraffic, toleranceMs: number): ReadonlyArray<unknown> => {
  const clock = makeSimClock()
  const { close, startFeed } = realFeeds(clock)
  const watched = playTraffic(clock, startFeed, traffic)
  close()
  return watched.flatMap(({ law, observation }) => judgeFeed(observation, law, toleranceMs).map((found) => ({ ...found, asked: law })))
}

const holds = (grain: Grain, toleranceMs: number, numRuns: number): void =>
  fc.assert(
    fc.property(feedTraffic(grain), (traffic) => {
      expect(violationsIn(traffic, toleranceMs)).toEqual([])
    }),
    { numRuns }
  )

describe("any number of feeds on any number of connections", () => {
  test("keep the laws exactly, whatever runs, stops, disconnects and the wall clock do", () => {
    holds("milliseconds", 0, soakCount({ everyday: 100, full: 400 }))
  })

  // One millisecond is the wheel's, which turns by whole ones, the other its sleep's, which lasts whole ones.
  test("keep them within two milliseconds if times are fractions of one", () => {
    holds("microseconds", 2.001, soakCount({ everyday: 50, full: 200 }))
  })
})

/**
 * Counts the starts and results of one feed and remembers the first that is not in its place, for a day of them fills
 * a memory.
 */
const counted = (feeds: Context.Tag.Service<Feeds>, clock: SimClock, mode: Schedule["mode"], periodMs: number) => {
  const originMs = clock.nowMs()
  const wallOriginMs = clock.unsafeCurrentTimeMillis()
  const count = { starts: 0, results: 0, astray: undefined as string | undefined }
  const feed = feeds.start<void, never>({
    mode,
    periodMs,
    maxOverlap: 256,
    run: Effect.suspend(() => {
      const startMs = clock.nowMs()
      if (startMs !== originMs + count.starts * periodMs) count.astray ??= `start ${count.starts} at ${startMs}`
      count.starts += 1
      // Now and then a run that takes nearly a period, or three of them where they may overlap.
      return count.starts % 50 === 1 ? Effect.sleep(mode === "PARALLEL" ? 3 * periodMs - 1 : periodMs - 1) : Effect.void
    }),
    deliver: ({ scheduledAtMs, seq }) => {
      if (scheduledAtMs !== wallOriginMs + seq * periodMs) count.astray ??= `result ${seq} due at ${scheduledAtMs}`
      count.results += 1
    }
  })
  return { count, stop: () => feed.stop() }
}

const hours = soakCount({ everyday: 2, full: 24 })
const periodMs = 100
const startsCount = (hours * 3_600_000) / periodMs

test(`${hours} hours of ${periodMs} ms are ${startsCount} starts each of FIXED and PARALLEL, each on its point of the grid`, async () => {
  const clock = makeSimClock()
  const { close, runtime } = makeSimRuntime(clock, Feeds.layer)
  const scheduler = Context.get(runtime.context, Feeds)
  const feeds = (["FIXED", "PARALLEL"] as const).map((mode) => counted(scheduler, clock, mode, periodMs))
  // Up to the moment before the start that would be one too many; the test runner has its turn every quarter of an hour.
  const quarterMs = 900_000
  const quarters = 4 * hours
  for (let quarter = 1; quarter <= quarters; quarter += 1) {
    clock.advance(quarter < quarters ? quarterMs : quarterMs - 1)
    if (quarter === quarters / 2) clock.jumpWall(-3_600_000)
    await new Promise((resolve) => setImmediate(resolve))
  }
  for (const { count, stop } of feeds) {
    expect(count).toEqual({ starts: startsCount, results: startsCount, astray: undefined })
    stop()
  }
  close()
}, 600_000)
