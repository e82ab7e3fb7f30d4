/** A generator of profiles: any tree of calls, and the rows that belong to it. */
import type { CallNode, GasRow, PhaseProfile } from "@sibyl/devkit"
import fc from "fast-check"

const names = ["_start", "median", "parse", "sdk/json/read"]

const rowsOf = (tree: ReadonlyArray<CallNode>): ReadonlyArray<GasRow> =>
  [...new Set(tree.map(({ name }) => name))]
    .map((name): GasRow => {
      const own = tree.filter((node) => node.name === name)
      const self = own.reduce((sum, node) => sum + node.self, 0n)
      return { name, kind: name === "(start)" ? "start" : "function", self, total: self, calls: own.length }
    })
    .toSorted((left, right) => Number(right.self - left.self))

/** Gas up to some 2^60 a node: more than a double keeps apart. */
export const generatedProfile: fc.Arbitrary<PhaseProfile> = fc
  .record({
    phase: fc.constantFrom("exec" as const, "tally" as const),
    start: fc.bigUintN(40),
    calls: fc.array(fc.record({ name: fc.constantFrom(...names), above: fc.nat(), self: fc.bigUintN(60) }), { maxLength: 60 })
  })
  .map(({ calls, phase, start }) => {
    const tree: ReadonlyArray<CallNode> = [
      { name: "(start)", parent: -1, self: start },
      ...calls.map(({ above, name, self }, at): CallNode => ({ name, parent: at === 0 ? -1 : 1 + (above % at), self }))
    ]
    return { phase, gasUsed: tree.reduce((sum, { self }) => sum + self, 0n), rows: rowsOf(tree), tree }
  })
