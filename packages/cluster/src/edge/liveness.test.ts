/** Who counts as dead: the silent, but nobody while this process slept or had no connection itself. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { deadMs, Liveness, probeMs } from "./liveness.ts"

describe("executors", () => {
  it("are dead after a silence, and not before, whenever they were heard last", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 5_000 }), (heardMs) => {
        const liveness = new Liveness()
        liveness.watch("one", 0)
        for (let nowMs = 0; nowMs <= heardMs + 3 * deadMs; nowMs += probeMs) {
          if (nowMs <= heardMs) liveness.heard("one", nowMs)
          const dead = liveness.look(nowMs, true)
          const lastMs = Math.min(nowMs, heardMs - (heardMs % probeMs))
          expect(dead.length > 0).toBe(nowMs - lastMs > deadMs && nowMs - probeMs - lastMs <= deadMs)
        }
      })
    )
  })

  it("do not die of our own sleep, nor of a lost connection", () => {
    const liveness = new Liveness()
    liveness.watch("one", 0)
    liveness.look(0, true)
    expect(liveness.look(60_000, true)).toEqual([])
    expect(liveness.look(60_000 + probeMs, false)).toEqual([])
    expect(liveness.believesNobody(60_000 + probeMs)).toBe(false)
    expect(liveness.look(60_000 + 2 * probeMs, true)).toEqual([])
    expect(liveness.believesNobody(60_000 + 3 * probeMs)).toBe(false)
    let nowMs = 60_000 + 2 * probeMs
    const dead = []
    while (dead.length === 0 && nowMs < 70_000) {
      nowMs += probeMs
      dead.push(...liveness.look(nowMs, true))
    }
    expect(dead).toEqual(["one"])
    expect(nowMs - 60_000).toBeLessThanOrEqual(2 * deadMs + 4 * probeMs)
  })

  it("are watched only as long as they have runs", () => {
    const liveness = new Liveness()
    liveness.watch("one", 0)
    liveness.watch("two", 0)
    liveness.keepOnly(new Set(["two"]))
    for (let nowMs = 0; nowMs < deadMs; nowMs += probeMs) expect(liveness.look(nowMs, true)).toEqual([])
    expect([...liveness.look(deadMs, true), ...liveness.look(deadMs + probeMs, true)]).toEqual(["two"])
  })
})
