/** The first run of a shared feed lies on a grid that does not depend on who asks, or when. */
import fc from "fast-check"
import { expect, it } from "vitest"
import { firstStartInMs } from "./anchoredGrid.ts"

const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString("hex"))
const gridMode = fc.constantFrom("FIXED" as const, "PARALLEL" as const)
const period = fc.integer({ min: 10, max: 86_400_000 })
const wall = fc.integer({ min: 0, max: 2 ** 42 })

it("servers that ask at any time are given points of one grid, each the next one", () => {
  fc.assert(
    fc.property(key, gridMode, period, wall, wall, (feedKey, mode, periodMs, one, other) => {
      const [first, second] = [one, other].map((nowMs) => {
        const inMs = firstStartInMs(feedKey, mode, periodMs, nowMs)
        expect(inMs > 0 && inMs <= periodMs).toBe(true)
        return nowMs + inMs
      })
      expect(Math.abs((first ?? 0) - (second ?? 0)) % periodMs).toBe(0)
    })
  )
})

it("a SEQUENTIAL feed has no grid and starts at once", () => {
  fc.assert(fc.property(key, period, wall, (feedKey, periodMs, nowMs) => firstStartInMs(feedKey, "SEQUENTIAL", periodMs, nowMs) === 0))
})
