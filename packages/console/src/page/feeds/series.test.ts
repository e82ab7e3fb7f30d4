/** The curves of feeds over one time: each value stands at its own time, and nowhere else. */
import { expect, test } from "vitest"
import type { TrackedRun } from "./feedTrack.ts"
import { chartData } from "./series.ts"

const run = (startedAtMs: number, price: number | undefined, creditsRemaining: number, failure?: string): TrackedRun => ({
  feedId: "f",
  seq: 0,
  scheduledAtMs: startedAtMs,
  startedAtMs,
  durationMs: 1,
  numbers: new Map(price === undefined ? [] : [["price", price]]),
  failure,
  creditsRemaining
})

const feeds = [[run(1_000, 1, 9), run(3_000, undefined, 8, "exit code 3")], [run(2_000, 4, 7)]]

test("a number of the results, with nothing where there is none", () => {
  expect(chartData(feeds, { kind: "number", place: "price" })).toEqual([
    [1, 2, 3],
    [1, null, null],
    [null, 4, null]
  ])
})

test("the credits that are left, also after failures", () => {
  expect(chartData(feeds, { kind: "credits" })).toEqual([
    [1, 2, 3],
    [9, null, 8],
    [null, 7, null]
  ])
})
