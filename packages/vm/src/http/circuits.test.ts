/** Circuits: when a host rests, for how long, and what ends it. */
import fc from "fast-check"
import { expect, test } from "vitest"
import { Circuits, firstRestMs, longestRestMs } from "./circuits.ts"

const opened = (mostFailures = 3) => {
  const clock = { nowMs: 0 }
  const rests: Array<number> = []
  const circuits = new Circuits(
    mostFailures,
    (_host, restMs) => rests.push(restMs),
    () => clock.nowMs
  )
  const fail = (times = 1): void => {
    for (let time = 0; time < times; time += 1) {
      expect(circuits.admits("h")).toBe(true)
      circuits.ended("h", "failed")
    }
  }
  return { circuits, clock, fail, rests }
}

test("a host rests after so many failures in a row, and no other host does", () => {
  const { circuits, fail, rests } = opened()
  fail(2)
  circuits.ended("h", "none")
  expect(rests).toEqual([])
  fail()
  expect(rests).toEqual([firstRestMs])
  expect(circuits.admits("h")).toBe(false)
  expect(circuits.admits("other")).toBe(true)
})

test("an answer between failures begins the count again", () => {
  const { circuits, fail, rests } = opened()
  fail(2)
  circuits.ended("h", "well")
  fail(2)
  expect(rests).toEqual([])
})

test("after a rest one request tries the host; each failure doubles the rest, up to the longest; an answer ends it", () => {
  const { circuits, clock, fail, rests } = opened()
  fail(3)
  for (const restMs of [2_000, 4_000, 8_000, 16_000, longestRestMs]) {
    clock.nowMs += (rests.at(-1) ?? 0) - 1
    expect(circuits.admits("h")).toBe(false)
    clock.nowMs += 1
    expect(circuits.admits("h")).toBe(true)
    expect(circuits.admits("h")).toBe(false)
    circuits.ended("h", "failed")
    expect(rests.at(-1)).toBe(restMs)
  }
  clock.nowMs += longestRestMs
  expect(circuits.admits("h")).toBe(true)
  circuits.ended("h", "well")
  expect(rests.at(-1)).toBe(0)
  expect(circuits.admits("h")).toBe(true)
  fail(2)
  expect(circuits.admits("h")).toBe(true)
})

test("a try that says nothing about the host leaves it to the next request", () => {
  const { circuits, clock, fail } = opened()
  fail(3)
  clock.nowMs += firstRestMs
  expect(circuits.admits("h")).toBe(true)
  circuits.ended("h", "none")
  expect(circuits.admits("h")).toBe(true)
})

test("failures of requests that were sent before the rest do not prolong it", () => {
  const { circuits, clock, fail, rests } = opened()
  fail(3)
  for (let time = 0; time < 100; time += 1) circuits.ended("h", "failed")
  expect(rests).toEqual([firstRestMs])
  clock.nowMs += firstRestMs
  expect(circuits.admits("h")).toBe(true)
})

test("with 0 no host ever rests", () => {
  const { fail, rests } = opened(0)
  fail(1_000)
  expect(rests).toEqual([])
})

test("whatever happens, a host that answers again is asked again within its longest rest", () => {
  const step = fc.record({ sign: fc.constantFrom("well" as const, "failed" as const, "none" as const), waitMs: fc.nat(5_000) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { circuits, clock } = opened()
      for (const { sign, waitMs } of steps) {
        clock.nowMs += waitMs
        if (circuits.admits("h")) circuits.ended("h", sign)
      }
      clock.nowMs += longestRestMs
      expect(circuits.admits("h")).toBe(true)
      circuits.ended("h", "well")
      expect(circuits.admits("h")).toBe(true)
    })
  )
})
