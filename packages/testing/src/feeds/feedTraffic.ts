/** Arbitrary traffic for feeds: requests and their times, durations of runs, and jumps of the wall clock. */
import fc from "fast-check"
import type { FeedLaw } from "./feedModel.ts"

/** A planned run: how long it takes, and whether it returns a value, an expected failure or an unexpected one. */
export interface PlannedRun {
  readonly takesMs: number
  readonly ending: "value" | "failure" | "defect"
}

/** One feed. Times are milliseconds since the session began; the runs are used in turn, repeatedly. */
export interface PlannedFeed {
  readonly law: FeedLaw
  readonly startMs: number
  readonly runs: ReadonlyArray<PlannedRun>
  readonly stopMs: number | undefined
}

/** One connection with its feeds; all of them end when it closes. */
export interface PlannedConnection {
  readonly feeds: ReadonlyArray<PlannedFeed>
  readonly closeMs: number | undefined
}

/** Several connections, observed for a while. */
export interface FeedTraffic {
  readonly connections: ReadonlyArray<PlannedConnection>
  readonly wallJumps: ReadonlyArray<{ readonly atMs: number; readonly byMs: number }>
  readonly watchMs: number
}

/** The resolution of times: whole milliseconds, or thousandths of them. */
export type Grain = "milliseconds" | "microseconds"

const timeOf = (grain: Grain, max: number): fc.Arbitrary<number> =>
  grain === "milliseconds" ? fc.nat(max) : fc.nat(max * 1_000).map((micros) => micros / 1_000)

/** Run times are often near multiples of the period, where the laws have their edge cases. */
const takesMs = (grain: Grain, periodMs: number): fc.Arbitrary<number> =>
  fc.oneof(
    { weight: 2, arbitrary: fc.constant(0) },
    { weight: 4, arbitrary: timeOf(grain, periodMs) },
    { weight: 2, arbitrary: timeOf(grain, 6 * periodMs) },
    {
      weight: 4,
      arbitrary: fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: -1, max: 1 })).map(([times, off]) => times * periodMs + off)
    }
  )

const plannedRun = (grain: Grain, periodMs: number): fc.Arbitrary<PlannedRun> =>
  fc.record({
    takesMs: takesMs(grain, periodMs),
    ending: fc.oneof({ weight: 6, arbitrary: fc.constant("value" as const) }, fc.constantFrom("failure" as const, "defect" as const))
  })

const plannedFeed = (grain: Grain, watchMs: number): fc.Arbitrary<PlannedFeed> =>
  fc
    .record({
      mode: fc.constantFrom("FIXED" as const, "SEQUENTIAL" as const, "PARALLEL" as const),
      periodMs: fc.oneof(fc.integer({ min: 10, max: 60 }), fc.integer({ min: 60, max: 700 })),
      maxOverlap: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constant(256))
    })
    .chain((law) =>
      fc.record({
        law: fc.constant(law),
        startMs: timeOf(grain, Math.floor(watchMs / 4)),
        runs: fc.array(plannedRun(grain, law.periodMs), { minLength: 1, maxLength: 8 }),
        stopMs: fc.option(timeOf(grain, watchMs), { nil: undefined })
      })
    )

/** Any session. Some last longer than a turn of the timer wheel. */
export const feedTraffic = (grain: Grain): fc.Arbitrary<FeedTraffic> =>
  fc.constantFrom(2_000, 2_000, 2_000, 2_000, 9_000).chain((watchMs) =>
    fc.record({
      connections: fc.array(
        fc.record({
          feeds: fc.array(plannedFeed(grain, watchMs), { minLength: 1, maxLength: 3 }),
          closeMs: fc.option(timeOf(grain, watchMs), { nil: undefined, freq: 2 })
        }),
        { minLength: 1, maxLength: 3 }
      ),
      wallJumps: fc.array(fc.record({ atMs: timeOf(grain, watchMs), byMs: fc.integer({ min: -100_000_000, max: 100_000_000 }) }), {
        maxLength: 3
      }),
      watchMs: fc.constant(watchMs)
    })
  )
