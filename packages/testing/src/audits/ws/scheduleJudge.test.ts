/** The judge of schedules accepts every correct service, however slow, rounded and far away, and detects those that are wrong. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { startAfter, type FeedLaw } from "../../feeds/feedModel.ts"
import { judgeFixed, judgeParallel, judgeSequential, type ScheduleVerdict, type SeenFeed } from "./scheduleJudge.ts"

const periodMs = 40

/** What is arbitrary about a service and the way to it; milliseconds with fractions. */
interface Weather {
  readonly tookMs: ReadonlyArray<number>
  /** From the point of a start to the start. */
  readonly lateMs: ReadonlyArray<number>
  readonly wayMs: ReadonlyArray<number>
  readonly originMs: number
  readonly clockMs: number
  readonly rounded: (ms: number) => number
}

const many = (most: number): fc.Arbitrary<ReadonlyArray<number>> =>
  fc.array(fc.double({ min: 0, max: most, noNaN: true }), { minLength: 30, maxLength: 30 })

/** Runs of about a period are as frequent as short and long ones. */
const durations = fc.array(
  fc.oneof(
    fc.double({ min: 0.5, max: 8, noNaN: true }),
    fc.double({ min: periodMs - 3, max: periodMs + 3, noNaN: true }),
    fc.double({ min: 0.5, max: 200, noNaN: true })
  ),
  { minLength: 30, maxLength: 30 }
)

const weather = fc.record<Weather>({
  tookMs: durations,
  lateMs: fc.oneof(many(0.9), many(30)),
  wayMs: fc.oneof(many(2), many(300)),
  originMs: fc.double({ min: 1_795_000_000_000, max: 1_795_000_100_000, noNaN: true }),
  clockMs: fc.double({ min: -1_795_000_000_000, max: 1_000_000, noNaN: true }),
  rounded: fc.constantFrom(Math.round, Math.floor)
})

/** When the next run is due, and the point that its result tells. */
type Next = (run: { readonly index: number; readonly originMs: number; readonly startMs: number; readonly endMs: number }) => number

const seen = (
  next: Next,
  { clockMs, lateMs, originMs, rounded, tookMs, wayMs }: Weather,
  tells: (seq: number) => boolean = () => true
): SeenFeed => {
  const runs: Array<SeenFeed["runs"][number]> = []
  let dueMs = originMs
  for (const [seq, took] of tookMs.entries()) {
    const startMs = dueMs + (seq === 0 ? 0 : (lateMs[seq] ?? 0))
    const endMs = startMs + took
    runs.push({
      seq,
      scheduledAt: rounded(dueMs),
      startedAt: rounded(startMs),
      // The result is stamped some time before the run is over.
      stampedAt: rounded(startMs + took / 2),
      arrivedAtMs: endMs + (wayMs[seq] ?? 0) + clockMs
    })
    dueMs = next({ index: seq, originMs, startMs, endMs })
  }
  const told = runs.filter(({ seq }) => tells(seq))
  return { askedAtMs: originMs - (wayMs[0] ?? 0) + clockMs, periodMs, runs: told }
}

const lawOf = (mode: FeedLaw["mode"]): Next => {
  const law: FeedLaw = { mode, periodMs, maxOverlap: 256 }
  return ({ endMs, index, originMs, startMs }) => startAfter(law, originMs, index, { startMs, endMs })
}

const judges: Readonly<Record<FeedLaw["mode"], (feed: SeenFeed) => ScheduleVerdict>> = {
  FIXED: judgeFixed,
  SEQUENTIAL: judgeSequential,
  PARALLEL: judgeParallel
}

describe("a correct service", () => {
  it.each(["FIXED", "SEQUENTIAL", "PARALLEL"] as const)("is never at fault: %s", (mode) => {
    fc.assert(
      fc.property(weather, (given) => {
        expect(judges[mode](seen(lawOf(mode), given)).faults).toEqual([])
      }),
      { numRuns: 2_000 }
    )
  })

  it("is decided at once if its runs are short and it is near", () => {
    const calm = fc.record<Weather>({
      tookMs: fc.array(fc.double({ min: 0.5, max: 8, noNaN: true }), { minLength: 30, maxLength: 30 }),
      lateMs: many(0.9),
      wayMs: many(1),
      originMs: fc.double({ min: 1_795_000_000_000, max: 1_795_000_100_000, noNaN: true }),
      clockMs: fc.constant(-1_795_000_000_000),
      rounded: fc.constantFrom(Math.round, Math.floor)
    })
    fc.assert(
      fc.property(calm, (given) => {
        for (const mode of ["FIXED", "SEQUENTIAL", "PARALLEL"] as const) {
          expect(judges[mode](seen(lawOf(mode), given))).toEqual({ faults: [], undecided: [] })
        }
      })
    )
  })

  it.each([
    [37, 1, 0],
    [38, 0, 1],
    [40, 0, 1],
    [42, 0, 1],
    [43, 0, 0]
  ])("is left open where rounding decides: %i ms after the start before it", (distance, faults, undecided) => {
    // Late by 10 ms, so that a start at its end is not on the grid of 40 ms.
    const first = { seq: 0, scheduledAt: 1_000, startedAt: 1_010, stampedAt: undefined, arrivedAtMs: 1_060 }
    const next = { seq: 1, scheduledAt: 1_010 + distance, startedAt: 1_010 + distance, stampedAt: undefined, arrivedAtMs: 1_090 }
    const verdict = judgeFixed({ askedAtMs: 1_000, periodMs, runs: [first, next] })
    expect([verdict.faults.length, verdict.undecided.length]).toEqual([faults, undecided])
  })
})

/** A near service with short runs, as audits mostly meet it. */
const fair: Weather = {
  tookMs: Array.from({ length: 30 }, (_, index) => 3 + (index % 5)),
  lateMs: Array.from({ length: 30 }, (_, index) => (index % 3) / 2),
  wayMs: Array.from({ length: 30 }, () => 1),
  originMs: 1_795_000_000_000.4,
  clockMs: -1_795_000_000_000,
  rounded: Math.round
}

describe("a fault is detected:", () => {
  const wrong: ReadonlyArray<readonly [name: string, mode: FeedLaw["mode"], next: Next]> = [
    ["FIXED counts from the last start", "FIXED", ({ startMs }) => startMs + periodMs],
    ["FIXED drifts by a millisecond", "FIXED", ({ index, originMs }) => originMs + (index + 1) * (periodMs + 1)],
    ["FIXED waits for a period after the end", "FIXED", ({ endMs }) => endMs + periodMs],
    ["FIXED at half its rate", "FIXED", ({ index, originMs }) => originMs + 2 * (index + 1) * periodMs],
    ["FIXED without a period", "FIXED", ({ endMs }) => endMs],
    ["SEQUENTIAL counts from the start", "SEQUENTIAL", ({ startMs }) => startMs + periodMs - 3],
    ["SEQUENTIAL without a period", "SEQUENTIAL", ({ endMs }) => endMs],
    ["SEQUENTIAL with two periods", "SEQUENTIAL", ({ endMs }) => endMs + 2 * periodMs],
    ["PARALLEL drifts", "PARALLEL", ({ index, originMs }) => originMs + (index + 1) * (periodMs + 0.5)],
    ["PARALLEL waits for the run", "PARALLEL", ({ endMs }) => endMs + periodMs]
  ]

  it.each(wrong)("%s", (_, mode, next) => {
    expect(judges[mode](seen(next, fair)).faults).not.toEqual([])
  })

  it("a start before its time, and one before the end of the run before", () => {
    const feed = seen(lawOf("FIXED"), fair)
    const [first, second, ...others] = feed.runs
    if (first === undefined || second === undefined) throw new Error("two runs are needed")
    const early = { ...second, startedAt: second.scheduledAt - 10 }
    expect(judgeFixed({ ...feed, runs: [first, early, ...others] }).faults).toHaveLength(1)
    const long = { ...first, stampedAt: second.startedAt + 10 }
    expect(judgeFixed({ ...feed, runs: [long, second, ...others] }).faults).toHaveLength(1)
  })
})
