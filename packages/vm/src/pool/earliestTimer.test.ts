/** A timer that is asked again and again rings for the earliest moment, once. */
import { setTimeout as wait } from "node:timers/promises"
import { expect, it } from "vitest"
import { EarliestTimer } from "./earliestTimer.ts"

it("rings once for all moments that it was asked for, not before the earliest, and again when it is asked again", async () => {
  const rang: Array<number> = []
  const timer = new EarliestTimer(() => rang.push(performance.now()))
  const nowMs = performance.now()
  for (const inMs of [90, 30, 60, 30, 500]) timer.at(nowMs + inMs)
  await expect.poll(() => rang.length).toBe(1)
  expect(rang[0]).toBeGreaterThanOrEqual(nowMs + 29)
  timer.at(performance.now())
  await expect.poll(() => rang.length).toBe(2)
})

it("does not ring once it was cleared, until it is asked again", async () => {
  let rang = 0
  const timer = new EarliestTimer(() => (rang += 1))
  timer.at(performance.now() + 5)
  timer.clear()
  await wait(20)
  expect(rang).toBe(0)
  timer.at(performance.now() + 1)
  await expect.poll(() => rang).toBe(1)
})
