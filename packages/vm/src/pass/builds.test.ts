/** The fast build and the exact build agree on everything: gas, exit code, host calls, logs and result, for any gas limit. */
import type { Phase } from "@sibyl/core"
import { soakCount } from "@sibyl/testing/soak"
import fc from "fast-check"
import { setImmediate as nextTurn } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { branchingProgram } from "../testdata/branchingProgram.ts"
import { everyday, everydayCases } from "../testdata/everyday.ts"
import { generatedProgram } from "../testdata/generatedProgram.ts"
import { inputOf } from "../testdata/runProgram.ts"
import { shortLoopProgram } from "../testdata/shortLoopProgram.ts"
import { runToEnd } from "../testdata/runToEnd.ts"
import { emptyTape, execVectors, tallyVectors } from "../testdata/vectors.ts"
import { pass, type PassResult } from "./pass.ts"
import { deepestLoop } from "../meter/survey/chargePlaces.ts"
import { meterProgramExactly, prepareProgram, type PreparedProgram } from "./prepare.ts"

/** Programs in each phase; each runs with seven limits on both builds. */
const numRuns = soakCount({ everyday: everyday(60), full: 4_000 })
/** Enough for hundreds of host calls. */
const ampleGas = 3_000_000_000_000_000n
const startup = 5_000_000_000_000n

/** Which charges of the exact build stand in the code: all, those in loops, none. Each program's build is one of them, whatever its size asks for. */
const places = [0, 1, deepestLoop + 1] as const

const withCharges = (program: PreparedProgram, leastLoops: number): PreparedProgram => {
  const metered = meterProgramExactly(program.source, leastLoops)
  if (!metered.accepted) throw new Error(metered.refusal.message)
  return { ...program, exact: new WebAssembly.Module(metered.value) }
}

const prepared = (program: Uint8Array, phase: Phase, leastLoops: number): PreparedProgram => {
  const preparation = prepareProgram(program, phase, 160)
  if (!preparation.accepted) throw new Error(preparation.refusal.message)
  return withCharges(preparation.value, leastLoops)
}

/** The result of both builds, which must be equal. `alone`: whether the fast build gave it without the exact one. */
const agreed = (program: PreparedProgram, phase: Phase, gasLimit: bigint): { readonly result: PassResult; readonly alone: boolean } => {
  const input = inputOf(phase, { gasLimit })
  // A new program, to show whether the exact build was needed.
  const fresh: PreparedProgram = { fast: program.fast, link: program.link, restorable: program.restorable, source: program.source }
  const result = pass({ accepted: true, value: fresh }, input)
  expect(result).toEqual(pass({ accepted: true, value: program }, input, { builds: "exact" }))
  return { result, alone: fresh.exact === undefined }
}

const gasOf = (result: PassResult): bigint => (result.kind === "done" ? result.ending.gasUsed : ampleGas)

describe.each(["exec", "tally"] as const)("both builds agree in %s", (phase) => {
  const programs = fc.oneof(
    { weight: 3, arbitrary: branchingProgram({ multiValue: phase === "exec" }) },
    { weight: 1, arbitrary: generatedProgram },
    { weight: 2, arbitrary: shortLoopProgram }
  )

  it("on generated programs, with enough gas and with any less", async () => {
    let ended = 0
    let alone = 0
    let short = 0
    const some = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 4, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(programs, some, fc.constantFrom(...places), async (bytes, shares, leastLoops) => {
        // The test runner must be able to report in a long test.
        await nextTurn()
        const program = prepared(bytes, phase, leastLoops)
        const whole = agreed(program, phase, ampleGas)
        const spent = gasOf(whole.result) - startup
        const clean = whole.result.kind === "done" && whole.result.ending.exitCode === 0
        if (clean) ended += 1
        if (clean && whole.alone) alone += 1
        // Near the last unit, and anywhere between start and end.
        const limits = [spent, spent - 1n, ...shares.map((share) => BigInt(Math.floor(share * Number(spent))))]
        for (const limit of limits) {
          if (limit >= 0n && !agreed(program, phase, startup + limit).alone) short += 1
        }
      }),
      { numRuns }
    )
    expect([ended > numRuns / 4, alone, short > numRuns]).toEqual([true, ended, true])
  }, 600_000)
})

describe("both builds agree on the golden cases", () => {
  const cases = [...execVectors, ...tallyVectors].filter(
    ({ limits, phase, program }) => prepareProgram(program, phase, limits.memoryPages).accepted
  )

  it.each(everydayCases(cases).map((vector) => [`${vector.phase}:${vector.name}`, vector] as const))("%s", (_, vector) => {
    const { answer, args, envs, gasLimit, limits, phase, program } = vector
    const preparation = prepareProgram(program, phase, limits.memoryPages)
    const input = { phase, args, envs, gasLimit, limits, tape: emptyTape }
    const run = runToEnd(preparation, input, answer)
    if (!preparation.accepted) throw new Error(preparation.refusal.message)
    for (const leastLoops of places) {
      const exact = { accepted: true, value: withCharges(preparation.value, leastLoops) } as const
      expect(runToEnd(exact, input, answer, { builds: "exact" })).toEqual(run)
    }
  })
})
