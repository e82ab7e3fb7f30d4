/** Which runs of a feed are logged. */
import fc from "fast-check"
import { expect, it } from "vitest"
import { sampleRun, type SampledRuns } from "./sampledRuns.ts"

const runs = fc.array(fc.record({ afterMs: fc.integer({ min: 0, max: 40_000 }), hasFailed: fc.boolean() }), { minLength: 1, maxLength: 60 })

it("every run is counted by one line or waits to be, lines are at least a second apart, and the first run is one", () => {
  fc.assert(
    fc.property(runs, (all) => {
      let state: SampledRuns | undefined
      let nowMs = 0
      const lines: Array<{ readonly atMs: number; readonly runs: number; readonly failed: number }> = []
      for (const [at, { afterMs, hasFailed }] of all.entries()) {
        nowMs += afterMs
        const { line, next } = sampleRun(state, hasFailed, nowMs)
        state = next
        if (line !== undefined) lines.push({ atMs: nowMs, ...line })
        if (at === 0) expect(line).toEqual({ runs: 1, failed: hasFailed ? 1 : 0 })
      }
      const told = lines.reduce((sum, line) => sum + line.runs, 0)
      const failed = lines.reduce((sum, line) => sum + line.failed, 0)
      expect(told + (state?.runs ?? 0)).toBe(all.length)
      expect(failed + (state?.failed ?? 0)).toBe(all.filter(({ hasFailed }) => hasFailed).length)
      for (const [at, { atMs }] of lines.entries()) if (at > 0) expect(atMs - (lines[at - 1]?.atMs ?? 0)).toBeGreaterThanOrEqual(1_000)
    })
  )
})

it("a feed that goes on well has one line in a minute", () => {
  let state: SampledRuns | undefined
  const at: Array<number> = []
  for (let nowMs = 0; nowMs <= 180_000; nowMs += 5_000) {
    const { line, next } = sampleRun(state, false, nowMs)
    state = next
    if (line !== undefined) at.push(nowMs)
  }
  expect(at).toEqual([0, 60_000, 120_000, 180_000])
})
