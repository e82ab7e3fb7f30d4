/** A transient map beside a plain one. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { TransientMap } from "./transientMap.ts"

describe("a transient map", () => {
  it("holds what a map holds after the same steps, in the same order", () => {
    const key = fc.integer({ min: 0, max: 9 })
    const step = fc.oneof(
      fc.record({ kind: fc.constant("set" as const), key, value: fc.option(fc.string(), { nil: undefined }) }),
      fc.record({ kind: fc.constant("delete" as const), key }),
      fc.record({ kind: fc.constant("clear" as const), key })
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const [map, plain] = [new TransientMap<number, string | undefined>(), new Map<number, string | undefined>()]
        for (const each of steps) {
          if (each.kind === "clear") {
            map.clear()
            plain.clear()
          } else if (each.kind === "delete") expect(map.delete(each.key)).toBe(plain.delete(each.key))
          else {
            map.set(each.key, each.value)
            plain.set(each.key, each.value)
          }
          expect([map.size, map.get(each.key), map.has(each.key)]).toEqual([plain.size, plain.get(each.key), plain.has(each.key)])
          expect([...map.entries()]).toEqual([...plain])
          expect([...map.values()]).toEqual([...plain.values()])
        }
      })
    )
  })
})
