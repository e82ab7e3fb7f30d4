/** When the next run starts: decisions D35 to D38 as examples, as properties, and against an independent model. */
import { type FeedLaw, startAfter } from "@sibyl/testing"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { feedModes } from "../../contract/rpc.ts"
import { nextStart, type Schedule } from "./feedSchedule.ts"

/** Monotonic clocks show milliseconds to a quarter of a microsecond, the resolution of a double since the epoch until 2039. */
const quantaPerMs = 4_096
const tenYearsMs = 315_360_000_000

const instant = fc
  .tuple(fc.integer({ min: 1_100_000_000_000, max: 1_850_000_000_000 }), fc.nat(quantaPerMs - 1))
  .map(([ms, quanta]) => ms + quanta / quantaPerMs)

const span = (periodMs: number) =>
  fc.oneof(
    fc.constantFrom(0, periodMs, periodMs - 1 / quantaPerMs, periodMs + 1 / quantaPerMs, 2 * periodMs, 7 * periodMs),
    fc.nat(8 * periodMs * quantaPerMs).map((quanta) => quanta / quantaPerMs)
  )

/** A schedule and one of its runs, on time or late. */
const situation = fc
  .record({
    mode: fc.constantFrom(...feedModes),
    periodMs: fc.oneof(fc.integer({ min: 10, max: 2_000 }), fc.constantFrom(10, 86_400_000)),
    originMs: instant
  })
  .chain(({ mode, originMs, periodMs }) => {
    const seq = fc.nat(Math.floor(tenYearsMs / periodMs))
    return fc.record({ seq, late: span(periodMs), takes: span(periodMs) }).map(({ late, seq, takes }) => {
      const startMs = originMs + seq * periodMs + late
      return { schedule: { mode, periodMs, originMs }, previous: { seq, startMs, endMs: startMs + takes } }
    })
  })

const ofMode = (mode: Schedule["mode"]) => situation.filter(({ schedule }) => schedule.mode === mode)

describe("examples of a feed of 100 ms that started at 1,000", () => {
  const at = (mode: Schedule["mode"], seq: number, startMs: number, endMs: number): number =>
    nextStart({ mode, periodMs: 100, originMs: 1_000 }, { seq, startMs, endMs })

  test.each([
    ["a run shorter than the period", 1_000, 1_030, 1_100],
    ["a run that takes no time", 1_000, 1_000, 1_100],
    ["a run that ends just before the next point", 1_000, 1_099, 1_100],
    ["a run of exactly one period skips no slot", 1_000, 1_100, 1_100],
    ["a run longer than the period is followed at once", 1_000, 1_101, 1_101],
    ["a run of two and a half periods is followed at once, missed points are dropped", 1_000, 1_250, 1_250],
    ["a run between points that ends before the next one returns to the grid", 1_250, 1_280, 1_300],
    ["a run between points that ends after the next one waits for the one after it", 1_250, 1_320, 1_400],
    ["a run between points that ends on a point is followed there", 1_250, 1_300, 1_300]
  ])("FIXED: %s", (_, startMs, endMs, expected) => {
    expect(at("FIXED", 1, startMs, endMs)).toBe(expected)
  })

  test.each([
    [0, 1_000, 1_000, 1_100],
    [4, 1_400, 1_430, 1_530],
    [4, 1_400, 1_900, 2_000]
  ])("SEQUENTIAL: run %i from %i to %i is followed at %i", (seq, startMs, endMs, expected) => {
    expect(at("SEQUENTIAL", seq, startMs, endMs)).toBe(expected)
  })

  test.each([
    [0, 1_000, 1_000, 1_100],
    [4, 1_400, 9_999, 1_500],
    [4, 1_433, 1_433, 1_500]
  ])("PARALLEL: run %i from %i to %i is followed at %i", (seq, startMs, endMs, expected) => {
    expect(at("PARALLEL", seq, startMs, endMs)).toBe(expected)
  })
})

describe("FIXED", () => {
  test("starts after the start and not before the end of the previous run, and is never idle for a whole period", () => {
    fc.assert(
      fc.property(ofMode("FIXED"), ({ previous, schedule }) => {
        const next = nextStart(schedule, previous)
        expect(next).toBeGreaterThan(previous.startMs)
        expect(next).toBeGreaterThanOrEqual(previous.endMs)
        expect(next - previous.endMs).toBeLessThanOrEqual(schedule.periodMs)
      })
    )
  })

  test("is on the grid unless the previous run took longer than a period", () => {
    fc.assert(
      fc.property(ofMode("FIXED"), ({ previous, schedule }) => {
        const next = nextStart(schedule, previous)
        const overran = previous.endMs - previous.startMs > schedule.periodMs
        expect(overran ? next === previous.endMs : (next - schedule.originMs) % schedule.periodMs === 0).toBe(true)
      })
    )
  })
})

test("has not drifted after a day: no mode accumulates errors", () => {
  fc.assert(
    fc.property(instant, fc.integer({ min: 10, max: 1_000 }), (originMs, periodMs) => {
      let previous = { seq: 0, startMs: originMs, endMs: originMs }
      for (let seq = 1; seq <= 500; seq += 1) {
        const startMs = nextStart({ mode: "FIXED", periodMs, originMs }, previous)
        // Every start is slightly late, as on a real machine.
        previous = { seq, startMs: startMs + (seq % 7) / quantaPerMs, endMs: startMs + 1 }
        expect(startMs).toBe(originMs + seq * periodMs)
        expect(nextStart({ mode: "PARALLEL", periodMs, originMs }, { ...previous, seq: seq - 1 })).toBe(startMs)
      }
    })
  )
})

test("the next start is never before the run, even if sums of times are rounded", () => {
  const tenths = fc.nat(1_000_000).map((number) => number / 10)
  fc.assert(
    fc.property(tenths, fc.integer({ min: 1, max: 1_000 }), fc.nat(100_000), (originMs, periodMs, seq) => {
      const startMs = originMs + seq * periodMs
      for (const mode of feedModes) {
        expect(nextStart({ mode, periodMs, originMs }, { seq, startMs, endMs: startMs })).toBeGreaterThan(startMs)
      }
    }),
    { numRuns: 5_000 }
  )
})

test("every mode agrees with the model that walks the grid", () => {
  fc.assert(
    fc.property(situation, ({ previous, schedule }) => {
      const law: FeedLaw = { mode: schedule.mode, periodMs: schedule.periodMs, maxOverlap: 1 }
      expect(nextStart(schedule, previous)).toBe(startAfter(law, schedule.originMs, previous.seq, previous))
    }),
    { numRuns: 5_000 }
  )
})
