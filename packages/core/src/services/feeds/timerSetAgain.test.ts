/** A timer that is reset fires at its last deadline only, whether it was waiting, fired or cancelled before. */
import { makeSimClock, makeSimRuntime } from "@sibyl/testing"
import { Context, Layer } from "effect"
import fc from "fast-check"
import { expect, test } from "vitest"
import { makeTimerWheel, type Timer, type TimerWheel } from "./timerWheel.ts"

class Wheel extends Context.Tag("Wheel")<Wheel, TimerWheel>() {}

type Step =
  | { readonly kind: "set"; readonly timer: number; readonly inMs: number }
  | { readonly kind: "cancel"; readonly timer: number }
  | { readonly kind: "advance"; readonly ms: number }

const timerCount = 4
const someMs = fc.oneof(fc.integer({ min: 1, max: 20 }), fc.constantFrom(255, 256, 257, 65_535, 65_536, 70_000))
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("set" as const), timer: fc.nat(timerCount - 1), inMs: someMs }),
  fc.record({ kind: fc.constant("cancel" as const), timer: fc.nat(timerCount - 1) }),
  fc.record({ kind: fc.constant("advance" as const), ms: someMs })
)

/** What happens: for each timer its one deadline, if any; time meets those that it passes. */
const modelOf = (steps: ReadonlyArray<Step>): ReadonlyArray<string> => {
  const due = new Map<number, number>()
  const met: Array<string> = []
  let now = 0
  for (const step of steps) {
    if (step.kind === "set") due.set(step.timer, now + step.inMs)
    else if (step.kind === "cancel") due.delete(step.timer)
    else {
      now += step.ms
      for (const [timer, atMs] of due) {
        if (atMs > now) continue
        met.push(`${timer} at ${atMs}`)
        due.delete(timer)
      }
    }
  }
  return met.toSorted()
}

test("any resets, cancellations and waits give the same as one deadline per timer", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const clock = makeSimClock()
      const { close, runtime } = makeSimRuntime(clock, Layer.scoped(Wheel, makeTimerWheel))
      const wheel = Context.get(runtime.context, Wheel)
      const beginMs = wheel.nowMs()
      const timers: Array<Timer | undefined> = []
      const met: Array<string> = []
      for (const { kind, ...rest } of steps) {
        if (kind === "advance" && "ms" in rest) clock.advance(rest.ms)
        if (kind === "cancel" && "timer" in rest) timers[rest.timer]?.cancel()
        if (kind !== "set" || !("inMs" in rest)) continue
        const { inMs, timer } = rest
        const deadlineMs = wheel.nowMs() + inMs
        const known = timers[timer]
        if (known === undefined) timers[timer] = wheel.at(deadlineMs, () => met.push(`${timer} at ${wheel.nowMs() - beginMs}`))
        else known.setAgain(deadlineMs)
      }
      close()
      expect(met.toSorted()).toEqual(modelOf(steps))
    }),
    { numRuns: 500 }
  )
})

test("a timer may reset itself while it fires", () => {
  const clock = makeSimClock()
  const { close, runtime } = makeSimRuntime(clock, Layer.scoped(Wheel, makeTimerWheel))
  const wheel = Context.get(runtime.context, Wheel)
  const beginMs = wheel.nowMs()
  const met: Array<number> = []
  const timer = wheel.at(beginMs + 10, () => {
    met.push(wheel.nowMs() - beginMs)
    if (met.length < 5) timer.setAgain(wheel.nowMs() + 10)
  })
  clock.advance(1_000)
  close()
  expect(met).toEqual([10, 20, 30, 40, 50])
})
