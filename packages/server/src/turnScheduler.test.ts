/** The turns of fibers: every task once, in order, and the event loop in between. */
import { Effect, Layer, ManagedRuntime, Scheduler } from "effect"
import fc from "fast-check"
import { expect, test } from "vitest"
import { layerTurnScheduler, TurnScheduler } from "./turnScheduler.ts"

const spin = (ms: number): void => {
  const until = performance.now() + ms
  while (performance.now() < until) { /* work */ }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test("every task runs once, by priority and then by arrival", () =>
  fc.assert(
    fc.asyncProperty(fc.array(fc.nat(3), { maxLength: 30 }), async (priorities) => {
      const scheduler = new TurnScheduler()
      const ran: Array<number> = []
      for (const [at, priority] of priorities.entries()) scheduler.scheduleTask(() => ran.push(at), priority)
      await turn()
      const expected = [...priorities.keys()].toSorted((a, b) => (priorities[a] ?? 0) - (priorities[b] ?? 0) || a - b)
      expect(ran).toEqual(expected)
    }),
    { numRuns: 200 }
  ))

test("a task that is queued by a task runs too", async () => {
  const scheduler = new TurnScheduler()
  const ran: Array<string> = []
  scheduler.scheduleTask(() => {
    ran.push("first")
    scheduler.scheduleTask(() => ran.push("later"), 0)
  }, 0)
  await turn()
  expect(ran).toEqual(["first", "later"])
})

/** How many of a hundred busy fibers had ended when a timer that was due at once fired. */
const endedBeforeTimer = async (layer: Layer.Layer<never>): Promise<number> => {
  const runtime = ManagedRuntime.make(layer)
  let ended = 0
  const busy = Effect.zipRight(Effect.yieldNow(), Effect.sync(() => {
    spin(2)
    ended += 1
  }))
  const all = runtime.runPromise(Effect.all(Array.from({ length: 100 }, () => busy), { concurrency: "unbounded" }))
  const seen = await new Promise<number>((resolve) => setTimeout(() => resolve(ended), 0))
  await all
  await runtime.dispose()
  return seen
}

test("a timer does not wait for all fibers that are ready, as it does with Effect's own scheduler", async () => {
  expect(await endedBeforeTimer(layerTurnScheduler)).toBeLessThan(100)
  expect(await endedBeforeTimer(Layer.setScheduler(new Scheduler.MixedScheduler(2048)))).toBe(100)
})
