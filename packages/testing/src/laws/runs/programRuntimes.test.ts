/** The VM satisfies the laws on threads and on processes, and runtimes with a fault do not. */
import { HttpFetch, type PhaseOutcome, ProgramRuntime } from "@sibyl/core"
import { layerProgramRuntime } from "@sibyl/vm"
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { describeLaws } from "../../describeLaws.ts"
import { programRuntimeLaws } from "./programRuntimeLaws.ts"

const machine = (isolation: "process" | "thread"): Layer.Layer<ProgramRuntime> =>
  Layer.provide(layerProgramRuntime({ isolation, workers: 1, spareWorkers: 0 }), HttpFetch.layerClosed)

for (const isolation of ["process", "thread"] as const) {
  describeLaws(
    `the VM, a worker a ${isolation}`,
    programRuntimeLaws(() => machine(isolation))
  )
}

const faulty = (change: (outcome: PhaseOutcome) => PhaseOutcome): Layer.Layer<ProgramRuntime> =>
  Layer.effect(
    ProgramRuntime,
    Effect.map(ProgramRuntime, ({ run }) => ({ run: (request) => Effect.map(run(request), change) }))
  ).pipe(Layer.provide(machine("thread")))

describe("the laws find", () => {
  let calls = 0n
  it.each<readonly [string, (outcome: PhaseOutcome) => PhaseOutcome]>([
    ["exit codes reduced to a byte", (outcome) => ({ ...outcome, exitCode: outcome.exitCode & 0xff })],
    ["traps without a reason", ({ reason, ...outcome }) => ({ ...outcome, stderr: `${reason}` })],
    ["gas that differs from run to run", (outcome) => ({ ...outcome, gasUsed: outcome.gasUsed + (calls += 1n) })],
    ["results of failures that are lost", (outcome) => (outcome.exitCode === 0 ? outcome : { ...outcome, result: new Uint8Array() })],
    ["standard error that is lost", (outcome) => ({ ...outcome, stderr: "" })]
  ])("%s", async (_, change) => {
    const results: Array<string> = []
    for (const { run } of programRuntimeLaws(() => faulty(change))) results.push((await Effect.runPromise(Effect.either(run)))._tag)
    expect(results).toContain("Left")
  })
})
