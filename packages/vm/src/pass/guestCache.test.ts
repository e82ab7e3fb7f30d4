/** A reused instance gives the same results as a new one, whatever it did before and however that ended. */
import { drop, encodeModule, end, hostImport, i32, i32Const, i32Store } from "@sibyl/testing/wasm"
import fc from "fast-check"
import { describe, expect, it, vi } from "vitest"
import { branchingProgram } from "../testdata/branchingProgram.ts"
import { everyday } from "../testdata/everyday.ts"
import { inputOf } from "../testdata/runProgram.ts"
import { GuestCache } from "./guestCache.ts"
import { Guest } from "./guest.ts"
import { pass, type PassResult } from "./pass.ts"
import { prepareProgram, type Preparation } from "./prepare.ts"

const startup = 5_000_000_000_000n
const ampleGas = 3_000_000_000_000_000n

const prepared = (program: Uint8Array): Preparation => prepareProgram(program, "exec", 160)

const passes = (preparation: Preparation, gasLimits: ReadonlyArray<bigint>, guests?: GuestCache): ReadonlyArray<PassResult> =>
  gasLimits.map((gasLimit) => pass(preparation, inputOf("exec", { gasLimit }), guests === undefined ? {} : { guests }))

const countGlobal = [0x23, 0, ...i32Const(1), 0x6a, 0x24, 0]
const addGlobalToFirstWord = [...i32Const(0), ...i32Const(0), 0x28, 2, 0, 0x23, 0, 0x6a, ...i32Store(0)]
const countInData = [...i32Const(8), ...i32Const(8), 0x28, 2, 0, ...i32Const(1), 0x6a, ...i32Store(0)]
const giveAll = [...i32Const(0), ...i32Const(12), 0x10, 0]

/** Adds one to a word of memory and to a global and returns both; then runs the code `more`. */
const counting = (more: ReadonlyArray<number>, table = false): Uint8Array =>
  encodeModule({
    imports: [hostImport.executionResult, hostImport.procExit],
    memory: 2,
    globals: [{ type: i32, mutable: true, initial: i32Const(5) }],
    ...(table ? { table: [2] } : {}),
    data: [{ offset: 8, bytes: [7] }],
    functions: [{ code: [...countGlobal, ...addGlobalToFirstWord, ...countInData, ...giveAll, ...more] }]
  })

const resultOf = (result: PassResult | undefined): string | undefined =>
  result?.kind === "done" ? Buffer.from(result.ending.result ?? []).toString("hex") : result?.kind

describe("a reused instance", () => {
  it("gives the same results as a new one, after any program with any ending", () => {
    const limits = fc.array(fc.bigInt({ min: startup, max: startup + 4_000_000_000_000n }), { minLength: 3, maxLength: 6 })
    fc.assert(
      fc.property(branchingProgram({ multiValue: true }), limits, (bytes, some) => {
        const preparation = prepared(bytes)
        const all = [ampleGas, ...some, ampleGas]
        expect(passes(preparation, all, new GuestCache())).toEqual(passes(preparation, all))
      }),
      { numRuns: everyday(60) }
    )
  })

  it("is the same one from the second run on", () => {
    const opened = vi.spyOn(Guest, "open")
    const results = passes(prepared(counting([])), [ampleGas, ampleGas, ampleGas, ampleGas], new GuestCache())
    expect(results.map(resultOf)).toEqual(Array.from({ length: 4 }, () => "060000000000000008000000"))
    expect(opened).toHaveBeenCalledTimes(2)
    opened.mockRestore()
  })

  it.each([
    ["grew its memory", counting([...i32Const(1), 0x40, 0, drop])],
    ["changed a table", counting([...i32Const(0), 0xd0, 0x70, 0x26, 0], true)],
    ["trapped", counting([0x00])],
    ["overflowed its stack", counting([0x10, 2])],
    ["ended by itself", counting([...i32Const(3), 0x10, 1])],
    ["ran out of gas", counting([0x03, 0x40, 0x0c, 0, end])]
  ])("has no trace of a run that %s", (_, program) => {
    const gas = [startup + 500_000_000_000n, startup + 500_000_000_000n, startup + 500_000_000_000n]
    const preparation = prepared(program)
    const results = passes(preparation, gas, new GuestCache())
    expect(results).toEqual(passes(preparation, gas))
    expect(new Set(results.map(resultOf)).size).toBe(1)
  })
})
