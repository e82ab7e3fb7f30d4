/** An allowance covers a burst and a rate, and no more, however it is used. */
import fc from "fast-check"
import { expect, it } from "vitest"
import { afterRefusal, freshAllowance, refusedRuns } from "./allowance.ts"

it("covers at most a burst and 64 a second, and all of those", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(50), { minLength: 1, maxLength: 2_000 }), (pauses) => {
      let allowance = freshAllowance(refusedRuns, 0)
      let nowMs = 0
      let covered = 0
      for (const pauseMs of pauses) {
        nowMs += pauseMs
        const next = afterRefusal(allowance, refusedRuns, nowMs)
        if (next.left < 0) continue
        allowance = next
        covered += 1
      }
      expect(covered).toBeLessThanOrEqual(256 + (nowMs * 64) / 1_000 + 1e-6)
      expect(covered).toBeGreaterThanOrEqual(Math.min(pauses.length, 256))
    })
  )
})
