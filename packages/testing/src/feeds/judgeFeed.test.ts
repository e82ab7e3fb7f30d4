/** On the same traffic the judge of feeds accepts the correct scheduler and detects every fault of the others. */
import { describe, expect, test } from "vitest"
import fc from "fast-check"
import { makeSimClock } from "../clock/simClock.ts"
import { feedFaults } from "./faultyFeeds.ts"
import { type FeedTraffic, feedTraffic, type Grain } from "./feedTraffic.ts"
import { judgeFeed } from "./judgeFeed.ts"
import type { FeedObservation } from "./observation.ts"
import { plainFeeds, type FeedRules } from "./plainFeed.ts"
import { playTraffic } from "./playTraffic.ts"
import type { FeedViolation } from "./violation.ts"

const judgedWith = (overrides: Partial<FeedRules>, traffic: FeedTraffic, toleranceMs: number): ReadonlyArray<FeedViolation> => {
  const clock = makeSimClock()
  const watched = playTraffic(clock, plainFeeds(clock, overrides), traffic)
  return watched.flatMap(({ law, observation }) => judgeFeed(observation, law, toleranceMs))
}

const sessions = (grain: Grain, count: number) => fc.sample(feedTraffic(grain), { numRuns: count, seed: 20_261_120 })

test("a correct scheduler passes, to the microsecond and without any tolerance", () => {
  for (const grain of ["milliseconds", "microseconds"] as const) {
    for (const traffic of sessions(grain, 150)) expect(judgedWith({}, traffic, 1e-5)).toEqual([])
  }
})

test("whole milliseconds need no tolerance at all", () => {
  for (const traffic of sessions("milliseconds", 150)) expect(judgedWith({}, traffic, 0)).toEqual([])
})

describe("the tolerance", () => {
  /** The observation with every time off by up to `ms`, like a clock behind a network. */
  const blurred = ({ results, runs, ...rest }: FeedObservation, ms: number, random: () => number): FeedObservation => {
    const off = (atMs: number): number => atMs + (random() * 2 - 1) * ms
    const ends = new Map<number, number>()
    const seen = runs.map((run, index) => {
      const endMs = run.endMs === undefined ? undefined : off(run.endMs)
      if (endMs !== undefined) ends.set(index, endMs)
      return { ...run, startMs: off(run.startMs), endMs }
    })
    const told = results.map((result) => ({ ...result, atMs: ends.get(result.seq) ?? result.atMs }))
    return { ...rest, runs: seen, results: told }
  }

  const random = (() => {
    let state = 20_261_120
    return () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return state / 2 ** 32
    }
  })()

  const judgedBlurred = (blurMs: number, toleranceMs: number): ReadonlyArray<FeedViolation> =>
    sessions("milliseconds", 100).flatMap((traffic) => {
      const clock = makeSimClock()
      return playTraffic(clock, plainFeeds(clock), traffic).flatMap(({ law, observation }) =>
        judgeFeed(blurred(observation, blurMs, random), law, toleranceMs)
      )
    })

  test("covers its deviation, also on the edges of the grid", () => {
    expect(judgedBlurred(2, 4)).toEqual([])
  })

  test("covers no more", () => {
    expect(judgedBlurred(4, 2).length).toBeGreaterThan(100)
  })
})

describe("a fault is detected:", () => {
  const traffic = sessions("milliseconds", 60)

  test("there are enough of them, each with its own name", () => {
    expect(new Set(feedFaults.map(({ name }) => name)).size).toBeGreaterThanOrEqual(25)
  })

  test.each(feedFaults)("$name", ({ breaks, overrides }) => {
    const broken = new Set(traffic.flatMap((session) => judgedWith(overrides, session, 0).map(({ law }) => law)))
    expect([...broken].filter((law) => breaks.includes(law))).not.toEqual([])
  })
})
