/** The pause before a process is replaced. */
import { expect, it } from "vitest"
import { quickEnds, restartPauseMs } from "./restartPause.ts"

it("doubles from 100 ms to 30 s while processes end quickly, and begins anew after one that lived for a minute", () => {
  expect([1, 2, 3, 8, 9, 10, 1_000].map(restartPauseMs)).toEqual([100, 200, 400, 12_800, 25_600, 30_000, 30_000])
  expect(quickEnds(0, 10)).toBe(1)
  expect(quickEnds(7, 59_999)).toBe(8)
  expect(quickEnds(7, 60_000)).toBe(1)
})
