/** The wheel fires every deadline once, in order and never early, and releases cancelled timers. */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { makeSimClock, makeSimRuntime, type SimClock } from "@sibyl/testing"
import { Context, Effect, Layer } from "effect"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { makeTimerWheel, type Timer, type TimerWheel } from "./timerWheel.ts"

class Wheel extends Context.Tag("Wheel")<Wheel, TimerWheel>() {}

const wheelOn = (clock: SimClock) => {
  const { close, fork, runtime } = makeSimRuntime(clock, Layer.scoped(Wheel, makeTimerWheel))
  return { wheel: Context.get(runtime.context, Wheel), fork, close }
}

/**
 * What a callback does when it is called: sets further deadlines, in milliseconds from its own, and cancels earlier
 * ones.
 */
interface Reaction {
  readonly insertsMs: ReadonlyArray<number>
  readonly cancels: ReadonlyArray<number>
}

type Step =
  | { readonly kind: "insert"; readonly inMs: number; readonly reaction: Reaction }
  | { readonly kind: "insertPast"; readonly agoMs: number }
  | { readonly kind: "cancel"; readonly timer: number }
  | { readonly kind: "setAgain"; readonly timer: number; readonly inMs: number }
  | { readonly kind: "advance"; readonly ms: number }
  | { readonly kind: "stall"; readonly ms: number }

/** Turns of the levels take 256 ms, 65.5 s, 4.7 h and 50 days: deadlines lie in, around and beyond the lower three. */
const distance = fc.oneof(
  { weight: 6, arbitrary: fc.nat(200) },
  { weight: 3, arbitrary: fc.nat(20_000) },
  { weight: 2, arbitrary: fc.constantFrom(255, 256, 257, 511, 512, 513, 65_535, 65_536, 65_537) },
  { weight: 1, arbitrary: fc.nat(400_000_000) },
  { weight: 1, arbitrary: fc.constantFrom(16_711_680, 16_777_215, 16_777_216, 16_777_217, 33_554_432) }
)

const reaction: fc.Arbitrary<Reaction> = fc.record({
  insertsMs: fc.array(
    distance.map((ms) => ms + 1),
    { maxLength: 2 }
  ),
  cancels: fc.array(fc.nat(40), { maxLength: 2 })
})

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("insert" as const), inMs: distance, reaction }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("insertPast" as const), agoMs: fc.integer({ min: 1, max: 10_000 }) })
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("cancel" as const), timer: fc.nat(40) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("setAgain" as const), timer: fc.nat(40), inMs: distance }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("advance" as const), ms: distance }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("stall" as const), ms: distance }) }
)

/** A deadline that fired: its timer and time. */
interface Met {
  readonly timer: number
  readonly atMs: number
}

const nothing: Reaction = { insertsMs: [], cancels: [] }

/** The wheel as a sorted list. */
class SortedList {
  readonly met: Array<Met> = []
  nowMs = 0
  readonly #reactions: Array<Reaction> = []
  /** In the order in which they were set. */
  #waiting: Array<{ readonly timer: number; readonly dueMs: number }> = []

  insert(dueMs: number, reaction: Reaction): void {
    this.#waiting.push({ timer: this.#reactions.push(reaction) - 1, dueMs })
  }

  cancel(timer: number): void {
    this.#waiting = this.#waiting.filter((entry) => entry.timer !== timer)
  }

  setAgain(timer: number, dueMs: number): void {
    this.cancel(timer)
    if (timer < this.#reactions.length) this.#waiting.push({ timer, dueMs })
  }

  /**
   * `stallMs` passes unnoticed first, then `ms` are watched; whatever became due unnoticed is met at the end of the
   * stall.
   */
  advance(stallMs: number, ms: number): void {
    const wakesMs = this.nowMs + stallMs
    for (;;) {
      const next = this.#waiting.toSorted((one, other) => one.dueMs - other.dueMs)[0]
      if (next === undefined || next.dueMs > wakesMs + ms) break
      this.cancel(next.timer)
      this.met.push({ timer: next.timer, atMs: Math.max(wakesMs, next.dueMs) })
      const reaction = this.#reactions[next.timer] ?? nothing
      for (const inMs of reaction.insertsMs) this.insert(next.dueMs + inMs, nothing)
      for (const other of reaction.cancels) this.cancel(other)
    }
    this.nowMs = wakesMs + ms
  }
}

/** The wheel itself, with the same interface. */
const wheelAsList = () => {
  const clock = makeSimClock()
  const { close, wheel } = wheelOn(clock)
  const originMs = wheel.nowMs()
  const timers: Array<Timer> = []
  const met: Array<Met> = []
  const dueMs: Array<number> = []
  const insert = (firstMs: number, reaction: Reaction): void => {
    const timer = dueMs.push(firstMs) - 1
    timers.push(
      wheel.at(originMs + firstMs, (nowMs) => {
        expect(nowMs).toBe(wheel.nowMs())
        met.push({ timer, atMs: nowMs - originMs })
        for (const inMs of reaction.insertsMs) insert((dueMs[timer] ?? 0) + inMs, nothing)
        for (const other of reaction.cancels) timers[other]?.cancel()
      })
    )
  }
  const setAgain = (timer: number, againMs: number): void => {
    if (timer < dueMs.length) dueMs[timer] = againMs
    timers[timer]?.setAgain(originMs + againMs)
  }
  return { clock, close, insert, met, setAgain, cancel: (timer: number): void => timers[timer]?.cancel() }
}

/** Takes one step in both. */
const take = (step: Step, list: SortedList, wheel: ReturnType<typeof wheelAsList>): void => {
  const { cancel, clock, insert, setAgain } = wheel
  switch (step.kind) {
    case "insert":
      list.insert(list.nowMs + step.inMs, step.reaction)
      return insert(clock.nowMs() + step.inMs, step.reaction)
    case "insertPast":
      // What is due already is met in the next moment, before or after what is due just then: so it is met alone.
      list.advance(0, 1)
      clock.advance(1)
      list.insert(list.nowMs, nothing)
      insert(clock.nowMs() - step.agoMs, nothing)
      list.advance(0, 0)
      return clock.advance(0)
    case "cancel":
      list.cancel(step.timer)
      return cancel(step.timer)
    case "setAgain":
      list.setAgain(step.timer, list.nowMs + step.inMs)
      return setAgain(step.timer, clock.nowMs() + step.inMs)
    case "advance":
      list.advance(0, step.ms)
      return clock.advance(step.ms)
    case "stall":
      list.advance(step.ms, 0)
      clock.stall(step.ms)
      return clock.advance(0)
  }
}

describe("against a sorted list", () => {
  test("any deadlines, resets, cancellations, waits and stalls give the same calls", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const list = new SortedList()
        const wheel = wheelAsList()
        for (const next of steps) take(next, list, wheel)
        wheel.close()
        expect(wheel.met).toEqual(list.met)
      }),
      { numRuns: 200 }
    )
  })

  test("deadlines beyond a whole turn of the highest level, fifty days, fire on time", () => {
    const clock = makeSimClock()
    const { close, wheel } = wheelOn(clock)
    const originMs = wheel.nowMs()
    const turnMs = 256 ** 4
    const dueMs = [turnMs - 1, turnMs, turnMs + 1, turnMs + 70_000, 1.5 * turnMs, 2 * turnMs - 1, 2 * turnMs]
    const met: Array<number> = []
    clock.advance(1_000)
    for (const due of dueMs.toReversed()) wheel.at(originMs + due, (nowMs) => met.push(nowMs - originMs))
    clock.advance(2 * turnMs)
    close()
    expect(met).toEqual(dueMs)
  })

  test("deadlines at fractions of a millisecond fire within two, and never early", () => {
    const micros = fc.nat(9_000_000)
    fc.assert(
      fc.property(fc.array(fc.tuple(micros, micros), { minLength: 1, maxLength: 30 }), (timers) => {
        const clock = makeSimClock()
        const { close, wheel } = wheelOn(clock)
        const lateness: Array<number> = []
        for (const [afterMicros, inMicros] of timers) {
          clock.at(afterMicros / 1_000, () => {
            const dueMs = wheel.nowMs() + inMicros / 1_000
            wheel.at(dueMs, (nowMs) => lateness.push(nowMs - dueMs))
          })
        }
        clock.advance(20_000)
        close()
        expect(lateness.length).toBe(timers.length)
        expect(Math.min(...lateness)).toBeGreaterThanOrEqual(0)
        expect(Math.max(...lateness)).toBeLessThanOrEqual(2)
      })
    )
  })
})

describe("an earlier deadline that is added", () => {
  const yields = Array.from({ length: 12 }, (_, index) => index)

  test.each(yields)("%i fiber turns after the wheel has woken fires on time", (yields) => {
    const clock = makeSimClock()
    const { close, fork, wheel } = wheelOn(clock)
    const originMs = wheel.nowMs()
    const met: Array<number> = []
    wheel.at(originMs + 1_000, (nowMs) => met.push(nowMs - originMs))
    wheel.at(originMs + 5, () => {
      const late = Effect.sync(() => wheel.at(originMs + 8, (nowMs) => met.push(nowMs - originMs)))
      fork(Effect.zipRight(Effect.repeatN(Effect.yieldNow(), yields), late))
    })
    clock.advance(2_000)
    close()
    expect(met).toEqual([8, 1_000])
  })
})

describe("memory", () => {
  /** A full collection, on either runtime. */
  const collect = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve))
    if (typeof globalThis.Bun !== "undefined") return globalThis.Bun.gc(true)
    setFlagsFromString("--expose-gc")
    runInNewContext("gc")()
  }

  test("of cancelled and fired deadlines is released", async () => {
    const clock = makeSimClock()
    const { close, wheel } = wheelOn(clock)
    const watched: Array<WeakRef<object>> = []
    const set = (ms: number): Timer => {
      const ballast = { bytes: new Uint8Array(1_000) }
      watched.push(new WeakRef(ballast))
      return wheel.at(wheel.nowMs() + ms, () => ballast.bytes.fill(1))
    }
    for (let ms = 1; ms <= 5_000; ms += 1) set(10_000 * ms).cancel()
    for (let ms = 1; ms <= 5_000; ms += 1) set(ms)
    clock.advance(5_000)
    await collect()
    // The collector may keep a few that it still sees on a stack.
    expect(watched.filter((ballast) => ballast.deref() !== undefined).length).toBeLessThan(100)
    close()
  })
})

describe("the end", () => {
  test("of its scope stops the wheel: no deadline fires any more", () => {
    const clock = makeSimClock()
    const { close, wheel } = wheelOn(clock)
    let met = false
    wheel.at(wheel.nowMs() + 10, () => {
      met = true
    })
    clock.advance(5)
    close()
    clock.advance(100)
    expect(met).toBe(false)
  })
})
