/** What is told when a caller leaves. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Leaving } from "./abandonment.ts"

describe("a caller who may leave", () => {
  it("is missed once, by everybody who listens then or later, and by nobody who has stopped", () => {
    const step = fc.constantFrom("listen", "stop", "leave")
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const caller = new Leaving()
        const [told, expected] = [new Map<number, number>(), new Map<number, number>()]
        const listening: Array<() => void> = []
        let hasLeft = false
        for (const [at, each] of steps.entries()) {
          if (each === "listen") {
            listening.push(caller.onAbandoned(() => told.set(at, (told.get(at) ?? 0) + 1)))
            expected.set(at, hasLeft ? 1 : 0)
          } else if (each === "stop") {
            listening.shift()?.()
            const [first] = [...expected].find(([, times]) => times === 0) ?? []
            if (first !== undefined && !hasLeft) expected.delete(first)
          } else {
            caller.leave()
            if (!hasLeft) for (const heard of expected.keys()) expected.set(heard, 1)
            hasLeft = true
          }
          expect(caller.isAbandoned).toBe(hasLeft)
        }
        expect(told).toEqual(new Map([...expected].filter(([, times]) => times > 0)))
      })
    )
  })
})
