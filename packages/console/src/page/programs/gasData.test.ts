/** The chart of a program's gas: runs come newest first, charts go the other way. */
import { expect, test } from "vitest"
import { gasData } from "./gasData.ts"

const runAt = (executedAt: string, exec: string, tally: string) => ({
  id: "",
  drId: "",
  executedAt,
  source: "rest" as const,
  exitCode: 0,
  gasUsed: { exec, tally },
  creditsUsed: "1",
  durationMs: 1
})

test("has both phases, oldest run first, in seconds", () => {
  expect(gasData([])).toEqual([[], [], []])
  expect(gasData([runAt("2026-01-01T00:00:02.500Z", "9000000000000", "4"), runAt("2026-01-01T00:00:01.000Z", "7", "3")])).toEqual([
    [1_767_225_601, 1_767_225_602.5],
    [7, 9_000_000_000_000],
    [3, 4]
  ])
})
