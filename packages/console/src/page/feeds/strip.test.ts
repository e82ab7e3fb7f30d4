/** Bars lie within the strip, and two in one lane never overlap. */
import fc from "fast-check"
import { expect, test } from "vitest"
import type { TrackedRun } from "./feedTrack.ts"
import { stripOf } from "./strip.ts"

const runOf = (seq: number, startedAtMs: number, durationMs: number): TrackedRun => ({
  feedId: "f",
  seq,
  scheduledAtMs: startedAtMs - 1,
  startedAtMs,
  durationMs,
  numbers: new Map(),
  failure: undefined,
  creditsRemaining: undefined
})

test("for any starts and lengths, bars lie within the strip and do not cover each other", () => {
  const lengths = fc.array(fc.tuple(fc.nat(500), fc.nat(800)), { maxLength: 40 })
  fc.assert(
    fc.property(lengths, (runs) => {
      const { bars, lanes } = stripOf({ gaps: [], runs: runs.map(([startMs, ms], seq) => runOf(seq, 10_000 + startMs * 10, ms)) }, 100)
      for (const bar of bars) {
        expect(0 <= bar.start && bar.start <= bar.end && bar.end <= 1).toBe(true)
        const others = bars.filter((other) => other !== bar && other.lane === bar.lane)
        expect(others.every((other) => other.end <= bar.start || other.start >= bar.end)).toBe(true)
      }
      expect(Math.max(0, ...bars.map(({ lane }) => lane))).toBeLessThan(lanes)
    })
  )
})

test("a gap lies between the run before it and the next one", () => {
  const runs = [runOf(0, 1_000, 10), runOf(1, 1_100, 10), runOf(2, 1_500, 10)]
  const { bars, gaps } = stripOf({ runs, gaps: [{ why: "reconnected", missed: undefined, afterMs: 1_100 }] }, 100)
  expect(gaps).toEqual([{ start: bars[1]?.start, end: bars[2]?.scheduled }])
})

test("a gap longer than the strip is shown from its edge while the run after it is shown, and no longer", () => {
  const gaps = [{ why: "reconnected" as const, missed: undefined, afterMs: 1_100 }]
  const before = [runOf(0, 1_000, 10), runOf(1, 1_100, 10)]
  const after = runOf(2, 9_000, 10)
  const strip = stripOf({ runs: [...before, after], gaps }, 100)
  expect(strip.gaps).toEqual([{ start: 0, end: strip.bars[0]?.scheduled }])
  expect(stripOf({ runs: [...before, after, runOf(3, 10_300, 10)], gaps }, 100).gaps).toEqual([])
})
