/** The judge is judged: it passes the scheduler that keeps the laws and catches every one that breaks a law, on the same traffic. */
import { describe, expect, test } from "vitest"
import fc from "fast-check"
import { makeSimClock } from "../clock/simClock.ts"
import { feedFaults } from "./faultyFeeds.ts"
import { type FeedTraffic, feedTraffic, type Grain } from "./feedTraffic.ts"
import { judgeFeed } from "./judgeFeed.ts"
import { plainFeeds, type Screws } from "./plainFeed.ts"
import { playTraffic } from "./playTraffic.ts"
import type { FeedViolation } from "./violation.ts"

const judgedWith = (screws: Partial<Screws>, traffic: FeedTraffic, toleranceMs: number): ReadonlyArray<FeedViolation> => {
  const clock = makeSimClock()
  const watched = playTraffic(clock, plainFeeds(clock, screws), traffic)
  return watched.flatMap(({ law, observation }) => judgeFeed(observation, law, toleranceMs))
}

const sessions = (grain: Grain, count: number) => fc.sample(feedTraffic(grain), { numRuns: count, seed: 20_261_120 })

test("a scheduler that keeps the laws is passed, to the microsecond and without any tolerance", () => {
  for (const grain of ["milliseconds", "microseconds"] as const) {
    for (const traffic of sessions(grain, 150)) expect(judgedWith({}, traffic, 1e-5)).toEqual([])
  }
})

test("whole milliseconds need no tolerance at all", () => {
  for (const traffic of sessions("milliseconds", 150)) expect(judgedWith({}, traffic, 0)).toEqual([])
})

describe("a fault is caught:", () => {
  const traffic = sessions("milliseconds", 60)

  test("there are enough of them, each with a name of its own", () => {
    expect(new Set(feedFaults.map(({ name }) => name)).size).toBeGreaterThanOrEqual(25)
  })

  test.each(feedFaults)("$name", ({ breaks, screws }) => {
    const broken = new Set(traffic.flatMap((session) => judgedWith(screws, session, 0).map(({ law }) => law)))
    expect([...broken].filter((law) => breaks.includes(law))).not.toEqual([])
  })
})
