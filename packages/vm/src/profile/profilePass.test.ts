/** An observed run is the run it observes, to the unit of gas, and every unit has its place among the functions and in the tree. */
import { soakCount } from "@sibyl/testing/soak"
import { call, encodeModule, end, hostImport, i32, i32Const, localGet } from "@sibyl/testing/wasm"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { prepareProgram } from "../pass/prepare.ts"
import { pass, type PassInput } from "../pass/pass.ts"
import { branchingProgram } from "../testdata/branchingProgram.ts"
import { everyday, everydayCases } from "../testdata/everyday.ts"
import { generatedProgram } from "../testdata/generatedProgram.ts"
import { ampleGas, inputOf } from "../testdata/runProgram.ts"
import { runToEnd } from "../testdata/runToEnd.ts"
import { emptyTape, execVectors, tallyVectors } from "../testdata/vectors.ts"
import { GasRecorder, type TreeBounds } from "./gasRecorder.ts"
import { profilePass, type ProfileResult } from "./profilePass.ts"

type Profiled = Extract<ProfileResult, { readonly kind: "profiled" }>

const numRuns = soakCount({ everyday: everyday(60), full: 2_000 })

const profileOf = (program: Uint8Array, input: PassInput, bounds?: TreeBounds): Profiled => {
  const order = { program: { bytes: program, phase: input.phase, memoryPages: 160 }, input }
  const result = profilePass(bounds === undefined ? order : { ...order, bounds })
  if (result.kind !== "profiled") throw new Error(result.kind)
  return result
}

const sumOf = (parts: ReadonlyArray<{ readonly self: bigint }>): bigint => parts.reduce((sum, { self }) => sum + self, 0n)

/** What has to hold of every profile of a run that used so much gas. */
const expectWhole = ({ gasUsed, rows, tree }: Profiled, used: bigint): void => {
  expect({ gasUsed, rows: sumOf(rows), tree: sumOf(tree) }).toEqual({ gasUsed: used, rows: used, tree: used })
  expect(rows.filter(({ self, total }) => self < 0n || total < self || total > used)).toEqual([])
  expect(tree.filter(({ parent, self }, at) => parent >= at || self < 0n)).toEqual([])
}

describe("an observed run", () => {
  const cases = [...execVectors, ...tallyVectors].map((vector) => [`${vector.phase}:${vector.name}`, vector] as const)

  it.each(everydayCases(cases))("%s ends and costs the same", (_, vector) => {
    const { answer, args, envs, gasLimit, limits, phase, program } = vector
    const preparation = prepareProgram(program, phase, limits.memoryPages)
    const input = { phase, args, envs, gasLimit, limits, tape: emptyTape }
    const { ending, tape } = runToEnd(preparation, input, answer)
    expect(pass(preparation, { ...input, tape }, { observer: new GasRecorder() })).toEqual({ kind: "done", ending })
    expectWhole(profileOf(program, { ...input, tape }), ending.gasUsed)
  })

  it.each(["exec", "tally"] as const)("of a generated program in %s costs the same, with all the gas or less", (phase) => {
    const programs = fc.oneof(branchingProgram({ multiValue: phase === "exec" }), generatedProgram)
    let calls = 0
    fc.assert(
      fc.property(programs, fc.double({ min: 0, max: 1, noNaN: true }), (program, share) => {
        const preparation = prepareProgram(program, phase, 160)
        const whole = pass(preparation, inputOf(phase))
        const spent = whole.kind === "done" ? Number(whole.ending.gasUsed) : 0
        for (const gasLimit of [ampleGas, BigInt(Math.floor(share * spent))]) {
          const input = inputOf(phase, { gasLimit })
          const told = pass(preparation, input)
          const profile = profilePass({ program: { bytes: program, phase, memoryPages: 160 }, input })
          // Some overflow the stack of the tests' thread, observed ones earlier: then there is nothing to compare.
          if (told.kind !== "done" || profile.kind !== "profiled") continue
          expectWhole(profile, told.ending.gasUsed)
          calls += profile.rows.length
        }
      }),
      { numRuns }
    )
    expect(calls).toBeGreaterThan(numRuns * 3)
  })
})

/** How often each was called, by kind and name. */
const countsOf = ({ rows }: Profiled): Readonly<Record<string, number>> =>
  Object.fromEntries(rows.map(({ calls, kind, name }) => [`${kind} ${name}`, calls]))

const leaf = 2
const countDown = 3
const ofTwoImports = { imports: [hostImport.executionResult, hostImport.procExit], memory: 1 }

/** The entry, which is the last, calls the leaf three times, and one that calls itself ten times; then it gives a result. */
const program = encodeModule({
  ...ofTwoImports,
  functions: [
    { code: [] },
    { parameters: [i32], code: [...localGet(0), 0x04, 0x40, ...localGet(0), ...i32Const(1), 0x6b, ...call(countDown), end] },
    { code: [...call(leaf), ...call(leaf), ...call(leaf), ...i32Const(10), ...call(countDown), ...i32Const(0), ...i32Const(4), ...call(0)] }
  ]
})

const rowNamed = (profile: Profiled, name: string) => profile.rows.find((row) => row.name === name)

describe("a profile", () => {
  it("has calls, own gas and whole gas of each function, of host calls and of the start", () => {
    const profile = profileOf(program, inputOf("exec"))
    expect(countsOf(profile)).toEqual({
      "start (start)": 1,
      "function _start": 1,
      [`function func ${leaf}`]: 3,
      [`function func ${countDown}`]: 11,
      "host seda_v1.execution_result": 1
    })
    const start = 5_000_000_000_000n
    expect(rowNamed(profile, "(start)")?.self).toBe(start)
    // 10,000,000 for each of its four bytes.
    expect(rowNamed(profile, "seda_v1.execution_result")?.self).toBe(40_000_000n)
    // Three times its `end`.
    expect(rowNamed(profile, `func ${leaf}`)?.self).toBe(3n * 5_625_000n)
    const recursive = rowNamed(profile, `func ${countDown}`)
    // Calls of itself are in its own gas already.
    expect(recursive?.total).toBe(recursive?.self)
    expect(rowNamed(profile, "_start")?.total).toBe(profile.gasUsed - start)
  })

  it("closes what a trap or missing gas leaves open", () => {
    const trapping = encodeModule({ ...ofTwoImports, functions: [{ code: [0x00] }, { code: call(leaf) }] })
    const short = pass(prepareProgram(program, "exec", 160), inputOf("exec", { gasLimit: 5_000_060_000_000n }))
    expect(short).toMatchObject({ kind: "done", ending: { gasUsed: 5_000_060_000_000n, exitCode: 1 } })
    for (const profile of [profileOf(trapping, inputOf("exec")), profileOf(program, inputOf("exec", { gasLimit: 5_000_060_000_000n }))]) {
      expectWhole(profile, profile.gasUsed)
      expect(rowNamed(profile, "_start")?.total).toBe(profile.gasUsed - 5_000_000_000_000n)
    }
  })

  it("of a program that does not start is its start, whatever that cost", () => {
    const profile = profileOf(encodeModule({ functions: [{ code: [] }], memory: 1 }), inputOf("tally"))
    expect(countsOf(profile)).toEqual({ "start (start)": 1 })
    expectWhole(profile, 0n)
  })

  it("has functions behind tables and references too", () => {
    const indirect = encodeModule({
      ...ofTwoImports,
      table: [leaf],
      functions: [{ code: [] }, { code: [...i32Const(0), 0x11, 2, 0] }]
    })
    expect(rowNamed(profileOf(indirect, inputOf("exec")), `func ${leaf}`)?.calls).toBe(1)
  })

  it.each([
    ["depth", { depth: 4, nodes: 1_000 }],
    ["nodes", { depth: 1_000, nodes: 5 }]
  ])("keeps within a bound of its tree: %s", (_, bounds) => {
    const profile = profileOf(program, inputOf("exec"), bounds)
    expectWhole(profile, profile.gasUsed)
    expect(profile.tree.length).toBeLessThanOrEqual(12)
    expect(profile.tree.filter(({ name }) => name === "(deeper calls)")).not.toEqual([])
    expect(profile.rows).toEqual(profileOf(program, inputOf("exec")).rows)
  })
})
