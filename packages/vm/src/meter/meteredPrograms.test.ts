/** Generated programs: metering changes no result, and gas is the same for every repeat, slice and phase. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { everyday } from "../testdata/everyday.ts"
import { generatedProgram } from "../testdata/generatedProgram.ts"
import { ampleGas, endingOf } from "../testdata/runProgram.ts"

const runs = { numRuns: Number(process.env["SIBYL_PROPERTY_RUNS"] ?? everyday(60)) }

/** The program's result without a meter, or that it trapped. */
const unmetered = (program: Uint8Array): string => {
  let result = new Uint8Array()
  const instance: WebAssembly.Instance = new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.from(program)), {
    seda_v1: {
      execution_result: (pointer: number, length: number) => {
        result = new Uint8Array((instance.exports["memory"] as WebAssembly.Memory).buffer.slice(pointer, pointer + length))
      }
    },
    wasi_snapshot_preview1: { proc_exit: () => {} }
  })
  try {
    ;(instance.exports["_start"] as () => void)()
    return Buffer.from(result).toString("hex")
  } catch (fault) {
    if (fault instanceof WebAssembly.RuntimeError) return "trap"
    throw fault
  }
}

const startup = 5_000_000_000_000n
const resultGas = 10_000_000n * 1_088n

describe("generated programs", () => {
  it("have the same results as without a meter", () => {
    fc.assert(
      fc.property(generatedProgram, (program) => {
        const ending = endingOf(program, "exec")
        expect(ending.exitCode === 0 ? Buffer.from(ending.result ?? []).toString("hex") : "trap").toBe(unmetered(program))
      }),
      runs
    )
  })

  it("use the same gas every time, and exactly that much is enough", () => {
    fc.assert(
      fc.property(generatedProgram, (program) => {
        const first = endingOf(program, "exec")
        expect(endingOf(program, "exec")).toEqual(first)
        expect(first.gasUsed).toBeGreaterThanOrEqual(startup)
        fc.pre(first.exitCode === 0)
        expect(endingOf(program, "exec", { gasLimit: first.gasUsed })).toEqual(first)
        expect(endingOf(program, "exec", { gasLimit: first.gasUsed - 1n }).exitCode).toBe(1)
      }),
      runs
    )
  })

  it("never use more gas than they were given", () => {
    fc.assert(
      fc.property(generatedProgram, fc.bigInt({ min: startup, max: startup + 100_000_000_000n }), (program, gasLimit) => {
        const ending = endingOf(program, "tally", { gasLimit })
        expect(ending.gasUsed).toBeLessThanOrEqual(gasLimit)
        expect(ending.gasUsed).toBeGreaterThanOrEqual(startup)
      }),
      runs
    )
  })

  it("cost ten times as much in tally, except for bulk operators", () => {
    fc.assert(
      fc.property(generatedProgram, (program) => {
        const exec = endingOf(program, "exec", { gasLimit: ampleGas })
        const tally = endingOf(program, "tally", { gasLimit: ampleGas })
        fc.pre(exec.exitCode === 0)
        const [execGas, tallyGas] = [exec.gasUsed - startup - resultGas, tally.gasUsed - startup - resultGas]
        // In execution a copy costs two and a fill one plain operator more; each program has some or none of them.
        const more = execGas * 10n - tallyGas
        expect(more >= 0n && more % 18_750n === 0n).toBe(true)
        expect(Buffer.from(tally.result ?? [])).toEqual(Buffer.from(exec.result ?? []))
      }),
      runs
    )
  })
})
