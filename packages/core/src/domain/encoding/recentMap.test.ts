/** A map of bounded size. */
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { RecentMap } from "./recentMap.ts"

type Step = readonly ["set" | "get" | "delete", string]

const steps = fc.array(
  fc.tuple(fc.constantFrom("set", "get", "delete"), fc.constantFrom(..."abcdefghijklmnop".split(""))) as fc.Arbitrary<Step>,
  {
    maxLength: 200
  }
)

it("answers nothing but what was set last, and never forgets what fits in one generation of uses", () => {
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 6 }), (all, capacity) => {
      const recent = new RecentMap<{ readonly at: number }>(capacity)
      const model = new Map<string, { readonly at: number }>()
      const uses: Array<string> = []
      all.forEach(([what, name], at) => {
        if (what === "delete") {
          recent.delete(name)
          model.delete(name)
          expect(recent.get(name)).toBeUndefined()
        } else if (what === "set") {
          recent.set(name, { at })
          model.set(name, { at })
          uses.push(name)
        } else {
          const found = recent.get(name)
          const since = new Set(uses.slice(uses.lastIndexOf(name)))
          if (found !== undefined) expect(found).toEqual(model.get(name))
          else if (model.has(name)) expect(since.size).toBeGreaterThan(capacity)
          if (found !== undefined) uses.push(name)
        }
      })
    })
  )
})

it("never holds more than two generations", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 60 }), (weights) => {
      const recent = new RecentMap<{ readonly weight: number }>(10, ({ weight }) => weight)
      weights.forEach((weight, at) => recent.set(String(at), { weight }))
      // Found without moving them, youngest first.
      const held = weights.map((weight, at) => (recent.get(String(at)) === undefined ? 0 : weight)).reduce((sum, weight) => sum + weight, 0)
      expect(held).toBeLessThanOrEqual(2 * (10 + 4))
      recent.clear()
      expect(weights.some((_, at) => recent.get(String(at)) !== undefined)).toBe(false)
    })
  )
})
