/** The fiber scheduler: every task once, in order, with turns of the event loop in between. */
import { workOf } from "@sibyl/core/internal"
import { Effect, Layer, ManagedRuntime, Scheduler } from "effect"
import fc from "fast-check"
import { expect, test } from "vitest"
import { urgentInARow } from "./ownersInTurns.ts"
import { TurnScheduler } from "./turnScheduler.ts"

const spin = (ms: number): void => {
  const until = performance.now() + ms
  while (performance.now() < until) {
    /* work */
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Waits for more turns than the tasks need: on a busy machine a turn of the scheduler can be over after its first task. */
const turnsUntil = async (ran: ReadonlyArray<unknown>, tasks: number): Promise<void> => {
  for (let turns = 0; turns < 2 * tasks + 2 && ran.length < tasks; turns += 1) await turn()
}

test("every task runs once, by priority and then by arrival", () =>
  fc.assert(
    fc.asyncProperty(fc.array(fc.nat(3), { maxLength: urgentInARow }), async (priorities) => {
      const scheduler = new TurnScheduler()
      const ran: Array<number> = []
      for (const [at, priority] of priorities.entries()) scheduler.scheduleTask(() => ran.push(at), priority)
      await turnsUntil(ran, priorities.length)
      const expected = [...priorities.keys()].toSorted((a, b) => (priorities[a] ?? 0) - (priorities[b] ?? 0) || a - b)
      expect(ran).toEqual(expected)
    }),
    { numRuns: 200 }
  ))

test("what is urgent goes first, also what comes later, and the rest has its share", async () => {
  const scheduler = new TurnScheduler()
  const ran: Array<string> = []
  let left = 3 * urgentInARow
  const urgent = (): void => {
    ran.push("urgent")
    left -= 1
    if (left > 0) scheduler.scheduleTask(urgent, 0)
  }
  for (const name of ["first", "second", "third"]) scheduler.scheduleTask(() => ran.push(name), 1)
  scheduler.scheduleTask(urgent, 0)
  await turnsUntil(ran, left + 3)
  const row = Array.from({ length: urgentInARow }, () => "urgent")
  expect(ran).toEqual([...row, "first", ...row, "second", ...row, "third"])
})

test("a task that another task queues runs too", async () => {
  const scheduler = new TurnScheduler()
  const ran: Array<string> = []
  scheduler.scheduleTask(() => {
    ran.push("first")
    scheduler.scheduleTask(() => ran.push("later"), 0)
  }, 0)
  await turnsUntil(ran, 2)
  expect(ran).toEqual(["first", "later"])
})

test("owners take turns, including the service itself", async () => {
  const ran: Array<string> = []
  const scheduler = new TurnScheduler()
  const queue = (owner: string, task: string) =>
    workOf(
      owner,
      Effect.withFiberRuntime<void>((fiber) => Effect.sync(() => scheduler.scheduleTask(() => ran.push(task), 0, fiber)))
    )
  const tasks = ["a0", "a1", "a2", "a3", "b0", "b1", "0"]
  await Effect.runPromise(Effect.forEach(tasks, (task) => queue(task.slice(0, -1), task)))
  await turnsUntil(ran, tasks.length)
  expect(ran).toEqual(["a0", "b0", "0", "a1", "b1", "a2", "a3"])
})

test("sockets that are read in succession share one turn", async () => {
  const scheduler = new TurnScheduler()
  let ran = 0
  const seen = turn().then(() => ran)
  for (let socket = 0; socket < 100; socket++) {
    scheduler.scheduleTask(() => {
      spin(2)
      ran += 1
    }, 0)
    // As between the callbacks of two sockets: microtasks have run.
    await Promise.resolve()
    await Promise.resolve()
  }
  expect(await seen).toBeLessThan(100)
})

/** How many of a hundred busy fibers had ended when a timer that was due at once fired. */
const endedBeforeTimer = async (layer: Layer.Layer<never>): Promise<number> => {
  const runtime = ManagedRuntime.make(layer)
  let ended = 0
  const busy = Effect.zipRight(
    Effect.yieldNow(),
    Effect.sync(() => {
      spin(2)
      ended += 1
    })
  )
  const all = runtime.runPromise(
    Effect.all(
      Array.from({ length: 100 }, () => busy),
      { concurrency: "unbounded" }
    )
  )
  const seen = await new Promise<number>((resolve) => setTimeout(() => resolve(ended), 0))
  await all
  await runtime.dispose()
  return seen
}

test("a timer does not wait for all ready fibers, unlike with Effect's own scheduler", async () => {
  expect(await endedBeforeTimer(Layer.setScheduler(new TurnScheduler()))).toBeLessThan(100)
  expect(await endedBeforeTimer(Layer.setScheduler(new Scheduler.MixedScheduler(2048)))).toBe(100)
})

test("fibers have as long as sockets before them, so that a flood of refusals leaves half of the time to runs", async () => {
  let nowMs = 0
  const scheduler = new TurnScheduler(() => nowMs)
  const socketsMs = 40
  let ran = 0
  const task = (): void => {
    nowMs += 1
    ran += 1
    scheduler.scheduleTask(task, 0)
  }
  scheduler.scheduleTask(task, 0)
  const loops = 20
  for (let loop = 0; loop < loops; loop += 1) {
    // The first of the sockets begins the turn.
    scheduler.take()
    nowMs += socketsMs
    await turn()
  }
  expect(ran / nowMs).toBeGreaterThanOrEqual(0.45)
})

test("what fibers had among the sockets is part of their turn", async () => {
  let nowMs = 0
  const scheduler = new TurnScheduler(() => nowMs)
  let ran = 0
  const long = (): void => {
    nowMs += 8
    ran += 1
  }
  for (let task = 0; task < 3; task += 1) scheduler.scheduleTask(long, 0)
  await Promise.resolve()
  expect(ran).toBe(1)
  // The sockets themselves took nothing, so nothing of the turn is left.
  await turn()
  expect(ran).toBe(1)
  await turn()
  expect(ran).toBe(2)
})

test("what cannot wait for the end of a turn is done about once a millisecond during it, until it is taken away", async () => {
  let nowMs = 0
  const scheduler = new TurnScheduler(() => nowMs)
  let looked = 0
  const end = scheduler.each(() => (looked += 1))
  // The turn is as long as the sockets took.
  scheduler.take()
  nowMs += 4
  for (let task = 0; task < 10; task += 1) scheduler.scheduleTask(() => (nowMs += 0.5), 0)
  await turn()
  expect([nowMs, looked]).toEqual([8, 5])
  end()
  nowMs += 5
  scheduler.take()
  expect(looked).toBe(5)
})
