/** Chosen timestamps increase for each name, however few names are remembered and wherever the clock goes. */
import fc from "fast-check"
import { expect, it } from "vitest"
import { ChosenTimes } from "./chosenTimes.ts"

const names = fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h")
const step = fc.record({ name: names, wishedMs: fc.integer({ min: 0, max: 40 }), passedMs: fc.option(fc.integer({ min: 0, max: 40 })) })

it("increase for each name, also for those that were forgotten, and are what is wished where they can be", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 100, size: "max" }), (most, steps) => {
      const times = new ChosenTimes(most)
      const last = new Map<string, number>()
      let highestMs = Number.NEGATIVE_INFINITY
      for (const { name, passedMs, wishedMs } of steps) {
        const lastMs = last.get(name) ?? Number.NEGATIVE_INFINITY
        if (passedMs !== null) {
          times.passed(name, passedMs)
          last.set(name, Math.max(lastMs, passedMs))
          highestMs = Math.max(highestMs, passedMs)
          continue
        }
        const timestampMs = times.next(name, wishedMs)
        expect(timestampMs).toBeGreaterThan(lastMs)
        expect(timestampMs).toBeGreaterThanOrEqual(wishedMs)
        // Nobody is sent further than behind the last time of somebody.
        expect(timestampMs).toBeLessThanOrEqual(Math.max(wishedMs, highestMs + 1))
        last.set(name, timestampMs)
        highestMs = Math.max(highestMs, timestampMs)
      }
    })
  )
})

it("of a busy name that runs ahead of the clock do not drag others along", () => {
  const times = new ChosenTimes(2)
  times.next("calm", 50)
  for (let run = 0; run < 1_000; run += 1) times.next("busy", 50)
  for (let at = 0; at < 20; at += 1) expect(times.next(`calm ${at}`, 51 + at)).toBe(51 + at)
  expect(times.next("busy", 80)).toBe(1_050)
})
