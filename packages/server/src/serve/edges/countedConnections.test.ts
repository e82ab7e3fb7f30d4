/** Connections of a key on all edges, as the supervisor counts them. */
import fc from "fast-check"
import { expect, it } from "vitest"
import { CountedConnections } from "./countedConnections.ts"

it("counts what the other edges have open, whatever opens, closes and ends", () => {
  const step = fc.record({
    step: fc.constantFrom("opened", "closed", "gone"),
    edge: fc.nat({ max: 2 }),
    apiKeyId: fc.constantFrom("a", "b")
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const counted = new CountedConnections<number>()
      const open = new Map<string, number>()
      const nameOf = (edge: number, apiKeyId: string): string => `${edge} ${apiKeyId}`
      const elsewhere = (edge: number, apiKeyId: string): number =>
        [0, 1, 2].reduce((sum, other) => sum + (other === edge ? 0 : (open.get(nameOf(other, apiKeyId)) ?? 0)), 0)
      for (const { apiKeyId, edge, step: kind } of steps) {
        const name = nameOf(edge, apiKeyId)
        if (kind === "opened") {
          open.set(name, (open.get(name) ?? 0) + 1)
          expect(counted.opened(edge, apiKeyId)).toBe(elsewhere(edge, apiKeyId))
        } else if (kind === "closed") {
          open.set(name, Math.max(0, (open.get(name) ?? 0) - 1))
          counted.closed(edge, apiKeyId)
        } else {
          for (const key of ["a", "b"]) open.delete(nameOf(edge, key))
          counted.gone(edge)
        }
        for (const other of [0, 1, 2]) expect(counted.elsewhere(other, apiKeyId)).toBe(elsewhere(other, apiKeyId))
      }
    })
  )
})
