/** An overloaded wheel leaves turns of the event loop to sockets, timers and requests. */
import { Context, Layer, ManagedRuntime } from "effect"
import { afterEach, expect, test } from "vitest"
import { makeTimerWheel, type TimerWheel } from "./timerWheel.ts"

class Wheel extends Context.Tag("Wheel")<Wheel, TimerWheel>() {}

const runtime = ManagedRuntime.make(Layer.scoped(Wheel, makeTimerWheel))
let over = false
afterEach(async () => {
  over = true
  await runtime.dispose()
})

const burn = (ms: number): void => {
  const until = performance.now() + ms
  while (performance.now() < until);
}

test("deadlines with ten times more work than time never block the event loop, and all fire in turn", async () => {
  const wheel = await runtime.runPromise(Wheel)
  const met = Array.from({ length: 50 }, () => 0)
  // Each is due every ten milliseconds and takes two: a hundred milliseconds of work for every ten.
  const again = (timer: number): void => {
    if (over) return
    met[timer] = (met[timer] ?? 0) + 1
    burn(2)
    wheel.at(wheel.nowMs() + 10, () => again(timer))
  }
  const beginMs = wheel.nowMs()
  for (const timer of met.keys()) wheel.at(beginMs + 1, () => again(timer))

  let turns = 0
  const deadline = performance.now() + 20_000
  while (performance.now() < deadline && (turns < 20 || Math.min(...met) < 3)) {
    await new Promise((resolve) => setTimeout(resolve, 1))
    turns += 1
  }
  expect(turns).toBeGreaterThanOrEqual(20)
  // No starvation: a timer that fired may not overtake one that waits.
  expect(Math.max(...met) - Math.min(...met)).toBeLessThanOrEqual(1)
  expect(Math.min(...met)).toBeGreaterThanOrEqual(3)
})

test("a thousand deadlines of one millisecond fire in order over many turns", async () => {
  const other = ManagedRuntime.make(Layer.scoped(Wheel, makeTimerWheel))
  const wheel = await other.runPromise(Wheel)
  const order: Array<number> = []
  let turns = 0
  const ticking = setInterval(() => {
    turns += 1
  }, 1)
  const dueMs = wheel.nowMs() + 5
  for (let timer = 0; timer < 1_000; timer += 1) {
    wheel.at(dueMs, () => {
      burn(0.2)
      order.push(timer)
    })
  }
  await expect.poll(() => order.length).toBe(1_000)
  clearInterval(ticking)
  expect(order).toEqual(Array.from({ length: 1_000 }, (_, timer) => timer))
  expect(turns).toBeGreaterThan(2)
  await other.dispose()
})
