/** However owners change, no tick runs twice, none runs before its time, and a new owner leaves out only what is over. */
import fc from "fast-check"
import { expect, it } from "vitest"
import type { Schedule } from "../runs/feedSchedule.ts"
import { firstTick, tickAfter } from "./feedTicks.ts"

const schedule: fc.Arbitrary<Schedule> = fc.record({
  mode: fc.constantFrom("FIXED" as const, "SEQUENTIAL" as const, "PARALLEL" as const),
  periodMs: fc.integer({ min: 10, max: 86_400_000 }),
  originMs: fc.integer({ min: 1_700_000_000_000, max: 1_800_000_000_000 })
})

/** The shares of a period that a run is late, that it takes, and that the feed has no owner after it. */
const run = fc.record({
  late: fc.double({ min: 0, max: 3, noNaN: true }),
  took: fc.double({ min: 0, max: 3, noNaN: true }),
  away: fc.option(fc.double({ min: 0, max: 9, noNaN: true }))
})

it("every tick is later than the one before, and none starts before it is due", () => {
  fc.assert(
    fc.property(schedule, fc.array(run, { minLength: 1, maxLength: 40 }), (of, runs) => {
      let due = firstTick(of, { nextTick: 0, lastEndMs: undefined }, of.originMs)
      expect(due).toEqual({ tick: 0, scheduledAtMs: of.originMs })
      let nowMs = of.originMs
      for (const { away, late, took } of runs) {
        const startMs = Math.max(nowMs, due.scheduledAtMs) + late * of.periodMs
        const endMs = startMs + took * of.periodMs
        const next =
          away === null
            ? tickAfter(of, { tick: due.tick, startMs, endMs })
            : firstTick(of, { nextTick: due.tick + 1, lastEndMs: endMs }, endMs + away * of.periodMs)
        expect(next.tick).toBeGreaterThan(due.tick)
        expect(next.scheduledAtMs).toBeGreaterThan(due.scheduledAtMs)
        if (of.mode !== "SEQUENTIAL") {
          // Each tick is of its own point of the grid, at or after which it is due.
          expect(next.scheduledAtMs - (of.originMs + next.tick * of.periodMs)).toBeGreaterThanOrEqual(-0.001)
          if (away !== null) expect(next.scheduledAtMs).toBe(of.originMs + next.tick * of.periodMs)
        }
        if (of.mode === "SEQUENTIAL") expect(next.scheduledAtMs).toBeCloseTo(endMs + of.periodMs, 3)
        nowMs = away === null ? endMs : endMs + away * of.periodMs
        due = next
      }
    })
  )
})

it("a new owner on a grid starts at the last point that was reached, at once, if nobody took it", () => {
  fc.assert(
    fc.property(
      schedule,
      fc.nat({ max: 1_000 }),
      fc.nat({ max: 1_000 }),
      fc.double({ min: 0, max: 0.99, noNaN: true }),
      (of, nextTick, reached, part) => {
        fc.pre(of.mode !== "SEQUENTIAL")
        const nowMs = of.originMs + (reached + part) * of.periodMs
        const due = firstTick(of, { nextTick, lastEndMs: undefined }, nowMs)
        expect(due.tick).toBe(Math.max(nextTick, reached))
        if (reached >= nextTick) expect(due.scheduledAtMs).toBeLessThanOrEqual(nowMs)
      }
    )
  )
})
