/** Generated modules through the runtime: valid ones end the same on every worker, and whatever is none is refused. */
import type { PhaseOutcome } from "@sibyl/core"
import { soakCount } from "@sibyl/testing/soak"
import fc from "fast-check"
import { afterAll, describe, expect, it } from "vitest"
import { branchingProgram } from "../testdata/branchingProgram.ts"
import { everyday } from "../testdata/everyday.ts"
import { generatedProgram } from "../testdata/generatedProgram.ts"
import { meaninglessBytes, mutatedModule } from "../testdata/mutatedModule.ts"
import { operatorSoup } from "../testdata/operatorSoup.ts"
import { moduleNamed } from "../testdata/vectors.ts"
import { endOf, patientLimits, phases, requestOf, shortLimits } from "./testdata/phases.ts"
import { openWatchedRuntime } from "./testdata/watchedRuntime.ts"

const workers = 2
// Nothing generated here runs for long: what reaches this deadline is a hang.
const limits = patientLimits
const gasLimit = 30_000_000_000_000n

const runtime = openWatchedRuntime({ isolation: "process", workers, cachedPrograms: 16 })
afterAll(() => runtime.dispose())

/** All phases of a program, each by as many runs at once as there are workers. */
const runEverywhere = (program: Uint8Array): Promise<ReadonlyArray<ReadonlyArray<PhaseOutcome>>> =>
  Promise.all(
    phases.map((phase) =>
      Promise.all(
        Array.from({ length: workers }, () => runtime.run(requestOf(program, phase, { limits, ...(phase === "exec" ? { gasLimit } : {}) })))
      )
    )
  )

const isHang = ({ reason }: PhaseOutcome): boolean => reason?.startsWith("Execution time limit") === true

describe("generated modules", () => {
  const valid = soakCount({ everyday: everyday(300), full: 10_000 })

  it(`${valid} valid ones end the same on every worker, with an outcome of the program`, async () => {
    const programs = fc.oneof(generatedProgram, branchingProgram({ multiValue: false }))
    const ends = new Map<string, number>()
    await fc.assert(
      fc.asyncProperty(programs, async (program) => {
        for (const outcomes of await runEverywhere(program)) {
          const [first] = outcomes
          expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome, textOf))).size).toBe(1)
          if (first === undefined) throw new Error("no outcome")
          expect([endOf(first), first.reason]).not.toEqual(["refused", first.reason])
          expect(isHang(first)).toBe(false)
          ends.set(endOf(first), (ends.get(endOf(first)) ?? 0) + 1)
        }
      }),
      { numRuns: valid }
    )
    process.stdout.write(
      `${valid} generated modules, ${2 * workers * valid} runs: ${JSON.stringify([...ends])}; workers lost ${runtime.lost.size}\n`
    )
    expect([...runtime.lost]).toEqual([])
  }, 3_600_000)

  const broken = soakCount({ everyday: everyday(600), full: 6_000 })

  it(`${broken} malformed, invalid and mutated ones have an outcome, and the next program runs`, async () => {
    const ends = new Map<string, number>()
    await fc.assert(
      fc.asyncProperty(fc.oneof(mutatedModule, meaninglessBytes, operatorSoup), async (program) => {
        for (const phase of phases) {
          const outcome = await runtime.run(requestOf(program, phase, { limits: shortLimits }))
          // A mutation may make a loop endless.
          const end = isHang(outcome) ? "deadline" : endOf(outcome)
          ends.set(end, (ends.get(end) ?? 0) + 1)
          if (end === "refused") expect(outcome.exitCode).not.toBe(0)
        }
      }),
      { numRuns: broken }
    )
    expect((await runtime.run(requestOf(moduleNamed("min_return"), "exec"))).exitCode).toBe(0)
    process.stdout.write(
      `${broken} broken modules, ${2 * broken} runs: ${JSON.stringify([...ends])}; workers lost ${JSON.stringify([...runtime.lost])}\n`
    )
    expect([...runtime.lost.keys()].filter((reason) => reason !== "deadline")).toEqual([])
  }, 3_600_000)
})

const textOf = (_: string, value: unknown): unknown => (typeof value === "bigint" ? String(value) : value)
