/** Out of memory, a full stack and every trap end with an exit code that is not 0, every time, and the worker goes on. */
import { traps } from "@sibyl/testing/hostile"
import { afterAll, describe, expect, it } from "vitest"
import { everyday } from "../testdata/everyday.ts"
import { moduleNamed } from "../testdata/vectors.ts"
import { endOf, patientLimits, phases, requestOf } from "./testdata/phases.ts"
import { openWatchedRuntime } from "./testdata/watchedRuntime.ts"

const runs = everyday(1_000)
// Here nothing is meant to reach the deadline.
const limits = patientLimits

describe.each(["process", "thread"] as const)("traps, each worker a %s:", (isolation) => {
  const runtime = openWatchedRuntime({ isolation, workers: 1, spareWorkers: 0 })
  afterAll(() => runtime.dispose())

  it(`${runs} of ${runs} are failures, and cost no worker`, async () => {
    const ends = new Map<string, number>()
    for (let at = 0; at < runs; at += 1) {
      const trap = traps[at % traps.length]
      const phase = phases[Math.floor(at / traps.length) % 2]
      if (trap === undefined || phase === undefined) throw new Error("no trap")
      const outcome = await runtime.run(requestOf(trap.program, phase, { limits, gasLimit: 20_000_000_000_000n }))
      expect([trap.name, phase, endOf(outcome)]).toEqual([trap.name, phase, "stopped"])
      // A full stack has a code of its own in tally, as in the VM of the chain.
      expect(phase === "exec" ? [1] : [250, 252], trap.name).toContain(outcome.exitCode)
      expect(outcome.result.length).toBe(0)
      ends.set(outcome.reason ?? "", (ends.get(outcome.reason ?? "") ?? 0) + 1)
      if (at % 25 === 0) expect((await runtime.run(requestOf(moduleNamed("min_return"), "exec"))).exitCode).toBe(0)
    }
    process.stdout.write(`${runs} traps of ${traps.length} kinds in both phases, ${runs} failures, ${runtime.lost.size} workers lost:\n`)
    for (const [reason, count] of ends) process.stdout.write(`  ${count} ${reason}\n`)
    expect([...ends.values()].reduce((sum, count) => sum + count, 0)).toBe(runs)
    expect([...runtime.lost]).toEqual([])
  }, 300_000)
})
