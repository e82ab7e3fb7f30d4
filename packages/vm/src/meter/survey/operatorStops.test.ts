/** Where the second walk stops: wherever an operator is not simply counted. */
import type { Phase } from "@sibyl/core"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { operator } from "../../binary/operators.ts"
import { CallPairs } from "./callPairs.ts"
import { OperatorStops, stopKind, stopKindOf } from "./operatorStops.ts"
import { role, roleOf } from "./operatorRoles.ts"
import { unitsOf } from "./prices.ts"

describe("the kinds of stops", () => {
  it.each(["exec", "tally"] satisfies ReadonlyArray<Phase>)("pass by operators at the plain price only, in %s", (phase) => {
    const passed = Array.from({ length: 256 }, (_, code) => code).filter((code) => stopKindOf(code) === stopKind.none)
    expect(passed.length).toBeGreaterThan(150)
    expect(passed.filter((code) => unitsOf(code, phase) !== unitsOf(operator.drop, phase))).toEqual([])
    expect(passed.filter((code) => roleOf(code) !== role.none)).toEqual([])
  })

  it("stop at whatever is written anew, and at all operators of two bytes", () => {
    const { block, call, callIndirect, end, if: conditional, memoryFill, memoryGrow, refFunc, return: leave, unreachable } = operator
    for (const code of [block, call, callIndirect, end, conditional, memoryFill, memoryGrow, refFunc, leave, unreachable, 0xfc00]) {
      expect(stopKindOf(code), String(code)).toBe(stopKind.always)
    }
    expect(stopKindOf(operator.localTee)).toBe(stopKind.whereDisplaced)
  })
})

it("stops are read as they were noted, with the operators passed before each", () => {
  const noted = fc.array(fc.record({ from: fc.nat(0xffff_ffff), passed: fc.nat(5) }), { maxLength: 500 })
  fc.assert(
    fc.property(noted, fc.nat(200), (all, moduleBytes) => {
      const stops = new OperatorStops(moduleBytes)
      for (const { from, passed } of all) {
        for (let count = 0; count < passed; count += 1) stops.pass()
        stops.add(from)
      }
      const reader = stops.read()
      const read = all.map(() => {
        reader.next()
        return { from: reader.from, passed: reader.passed }
      })
      expect(read).toEqual(all)
    })
  )
})

it("the callers of each function are those that were noted, each once", () => {
  const calls = fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { maxLength: 900 })
  fc.assert(
    fc.property(calls, (given) => {
      const ordered = given.toSorted(([left], [right]) => left - right)
      const pairs = new CallPairs(10)
      for (const [caller, callee] of ordered) pairs.add(caller, callee)
      const { callers, first } = pairs.callers()
      for (let callee = 0; callee < 10; callee += 1) {
        const expected = new Set(ordered.filter(([, called]) => called === callee).map(([caller]) => caller))
        expect([...callers.subarray(first[callee], first[callee + 1])]).toEqual([...expected])
      }
    })
  )
})
