/** SimClock behaves as a clock: sleepers wake at their time and in order, and all fibers settle in between. */
import { describe, expect, test } from "vitest"
import { Clock, Deferred, Effect, Exit, Fiber, Layer } from "effect"
import fc from "fast-check"
import { makeSimClock, type SimClock } from "./simClock.ts"
import { makeSimRuntime } from "./simRuntime.ts"

const forkOn = (clock: SimClock) => makeSimRuntime(clock, Layer.empty).fork

describe("sleepers", () => {
  test("wake at their time, in the order of time and then of arrival, in whatever steps time advances", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 30 }),
        fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 20 }),
        (sleeps, steps) => {
          const clock = makeSimClock()
          const fork = forkOn(clock)
          const woken: Array<{ readonly at: number; readonly index: number }> = []
          sleeps.forEach((ms, index) =>
            fork(Effect.sleep(ms).pipe(Effect.zipRight(Effect.sync(() => woken.push({ at: clock.nowMs(), index })))))
          )
          for (const step of steps) clock.advance(step)
          const total = steps.reduce((sum, step) => sum + step, 0)
          clock.advance(0)
          const expected = sleeps
            .map((at, index) => ({ at, index }))
            .filter(({ at }) => at <= total)
            .toSorted((one, other) => one.at - other.at || one.index - other.index)
          expect(woken).toEqual(expected)
          expect(clock.nowMs()).toBe(total)
        }
      )
    )
  })

  test("are removed when their fiber is interrupted", () => {
    const clock = makeSimClock()
    const fork = forkOn(clock)
    let woken = false
    const fiber = fork(
      Effect.zipRight(
        Effect.sleep(10),
        Effect.sync(() => (woken = true))
      )
    )
    clock.advance(5)
    fork(Fiber.interrupt(fiber))
    clock.advance(20)
    expect(woken).toBe(false)
    expect(fiber.unsafePoll()).toMatchObject({ _tag: "Failure" })
  })

  test("of callbacks can be cancelled, and a past time is due with the next step", () => {
    const clock = makeSimClock()
    const seen: Array<string> = []
    const cancel = clock.at(5, () => seen.push("cancelled"))
    clock.at(7, () => clock.at(1, () => seen.push(`late at ${clock.nowMs()}`)))
    cancel()
    clock.advance(6)
    clock.advance(4)
    expect(seen).toEqual(["late at 7"])
  })
})

describe("settling", () => {
  test("runs a chain of any number of yields and hand-overs to its end before time advances", () => {
    const clock = makeSimClock()
    const fork = forkOn(clock)
    let endedAt: number | undefined
    const chain = Effect.gen(function* () {
      yield* Effect.sleep(3)
      yield* Effect.repeatN(Effect.yieldNow(), 20_000)
      const handOver = yield* Deferred.make<number>()
      yield* Effect.fork(Effect.zipRight(Effect.yieldNow(), Deferred.succeed(handOver, 1)))
      yield* Deferred.await(handOver)
      endedAt = clock.nowMs()
    })
    fork(chain)
    clock.advance(10)
    expect(endedAt).toBe(3)
  })

  test("happens by itself, so that awaiting an effect does not hang", async () => {
    const clock = makeSimClock()
    const fiber = forkOn(clock)(Effect.as(Effect.repeatN(Effect.yieldNow(), 100), "done"))
    expect(await Effect.runPromise(Fiber.join(fiber))).toBe("done")
  })

  test("waits for promises with play", async () => {
    const clock = makeSimClock()
    const fork = forkOn(clock)
    const seen: Array<number> = []
    const step = Effect.promise(async () => {
      for (let hop = 0; hop < 50; hop += 1) await Promise.resolve()
      seen.push(clock.nowMs())
    })
    fork(Effect.forever(Effect.zipRight(Effect.sleep(10), step)))
    await clock.play(35)
    expect(seen).toEqual([10, 20, 30])
  })
})

describe("monotonic and wall clock", () => {
  test("agree until the wall clock jumps, which does not affect monotonic time and sleepers", () => {
    const clock = makeSimClock(1_000_000)
    const fork = forkOn(clock)
    const times = () => fork(Effect.all([Clock.currentTimeMillis, Clock.currentTimeNanos])).unsafePoll()
    let woken = -1
    fork(
      Effect.zipRight(
        Effect.sleep(100),
        Effect.sync(() => (woken = clock.nowMs()))
      )
    )
    clock.advance(40)
    expect(times()).toEqual(Exit.succeed([1_000_040, 1_000_040_000_000n]))
    clock.jumpWall(-500_000)
    expect(times()).toEqual(Exit.succeed([500_040, 1_000_040_000_000n]))
    clock.advance(60)
    expect(woken).toBe(100)
  })

  test("count nanoseconds exactly over a day of fractional steps", () => {
    const clock = makeSimClock(0)
    for (let step = 0; step < 86_400; step += 1) clock.advance(999.999_999)
    expect(clock.unsafeCurrentTimeNanos()).toBe(86_400n * 999_999_999n)
  })

  test("advance while the process stalls: all sleepers are late then, none is lost", () => {
    const clock = makeSimClock()
    const fork = forkOn(clock)
    const woken: Array<number> = []
    for (const ms of [10, 20, 500]) {
      fork(
        Effect.zipRight(
          Effect.sleep(ms),
          Effect.sync(() => woken.push(clock.nowMs()))
        )
      )
    }
    clock.advance(5)
    clock.stall(100)
    expect(woken).toEqual([])
    clock.advance(1_000)
    expect(woken).toEqual([105, 105, 500])
  })
})
