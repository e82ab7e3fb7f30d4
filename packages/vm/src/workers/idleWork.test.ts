/** Work without an order is added up, whatever the looks; looking after itself is none, however long it goes on. */
import fc from "fast-check"
import { expect, it } from "vitest"
import { IdleWork } from "./idleWork.ts"

it("a process that only looks after itself has never worked", () => {
  const idle = new IdleWork(40, 0)
  let most = 0
  // A day, at 4 ms of each look.
  for (let look = 1; look <= 1_728_000; look += 1) most = Math.max(most, idle.look(40 + 4 * look, 50 * look, false))
  expect(most).toBe(0)
})

it("one that goes on with one processor has worked for nine tenths of the time, however it is looked at", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 50 }), (steps) => {
      const idle = new IdleWork(0, 0)
      let now = 0
      let seen = 0
      for (const step of steps) seen = idle.look((now += step), now, false)
      expect(seen).toBeCloseTo(0.9 * now, 6)
    })
  )
})

it("an order ends it, and quiet takes it away", () => {
  const idle = new IdleWork(0, 0)
  expect(idle.look(1_000, 1_000, true)).toBe(0)
  expect(idle.look(1_400, 1_400, false)).toBeCloseTo(360)
  expect(idle.look(1_400, 2_400, false)).toBeCloseTo(260)
  expect(idle.look(1_400, 9_000, false)).toBe(0)
  expect(idle.look(2_400, 10_000, false)).toBeCloseTo(900)
  expect(idle.look(2_500, 10_050, true)).toBe(0)
  expect(idle.look(2_600, 10_100, false)).toBeCloseTo(95)
})
