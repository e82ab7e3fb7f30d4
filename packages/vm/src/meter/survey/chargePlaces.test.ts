/** Where the charges of the exact build are: in the code of small programs and of the innermost loops, elsewhere calls. */
import { compileBomb } from "../../testdata/compileBombs.ts"
import { encodeModule, end, hostImport, i32Const } from "@sibyl/testing/wasm"
import { expect, it } from "vitest"
import { readModule } from "../../binary/readModule.ts"
import { featureRules, meterProgram, meterProgramExactly } from "../../pass/prepare.ts"
import { moduleNamed, moduleNames } from "../../testdata/vectors.ts"
import { deepestLoop, loopsAroundCharges } from "./chargePlaces.ts"

const leastOf = (bytes: Uint8Array): number => loopsAroundCharges(readModule(bytes, featureRules.exec), featureRules.exec)

/** 12,000 ifs in 12 functions, within so many loops: 24,000 charges, a little more than half of what may stand in the code. */
const many = (loops: number): ReadonlyArray<ReadonlyArray<number>> =>
  Array.from({ length: 12 }, () => [
    ...Array.from({ length: loops }, () => [0x03, 0x40]).flat(),
    ...Array.from({ length: 1_000 }, () => [...i32Const(0), 0x04, 0x40, end]).flat(),
    ...Array.from({ length: loops }, () => end)
  ])

const moduleOf = (...functions: ReadonlyArray<ReadonlyArray<ReadonlyArray<number>>>): Uint8Array =>
  encodeModule({ imports: [hostImport.procExit], memory: 1, functions: functions.flat().map((code) => ({ code })) })

it("all of them stand in the code of small programs", () => {
  for (const name of moduleNames) {
    const bytes = moduleNamed(name)
    if (meterProgram(bytes, "exec", 160).accepted) expect([name, leastOf(bytes)]).toEqual([name, 0])
  }
})

it("those in loops come first, the innermost before others", () => {
  expect(leastOf(moduleOf(many(0)))).toBe(0)
  expect(leastOf(moduleOf(many(0), many(1)))).toBe(1)
  expect(leastOf(moduleOf(many(0), many(1), many(3)))).toBe(2)
  expect(leastOf(moduleOf(many(1), many(1)))).toBe(2)
  // Everything further inside counts as one.
  expect(leastOf(moduleOf(many(deepestLoop + 5), many(deepestLoop)))).toBe(deepestLoop + 1)
})

it("a module full of them is half as large with calls", () => {
  const bytes = compileBomb.hotIfs(500, 190)
  const sizeOf = (leastLoops?: number): number => {
    const exact = meterProgramExactly({ bytes, phase: "exec", memoryPages: 160 }, leastLoops)
    if (!exact.accepted) throw new Error(exact.refusal.message)
    return exact.value.length
  }
  expect(leastOf(bytes)).toBeGreaterThan(0)
  expect(sizeOf()).toBeLessThan(0.6 * sizeOf(0))
})
