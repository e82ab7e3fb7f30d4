/** Every hostile program through the runtime, in both phases: each run has an outcome, and workers are lost at deadlines alone. */
import type { PhaseOutcome } from "@sibyl/core"
import { bombs } from "@sibyl/testing/hostile"
import { afterAll, describe, expect, it } from "vitest"
import { everydayCases } from "../testdata/everyday.ts"
import { moduleNamed } from "../testdata/vectors.ts"
import { endOf, patientLimits, phases, requestOf, shortLimits } from "./testdata/phases.ts"
import { openWatchedRuntime } from "./testdata/watchedRuntime.ts"

const workers = 2
const plain = requestOf(moduleNamed("min_return"), "exec")

describe.each(["process", "thread"] as const)("hostile programs, each worker a %s:", (isolation) => {
  const runtime = openWatchedRuntime({ isolation, workers })
  afterAll(() => runtime.dispose())

  // Threads have the same passes; what a deadline costs them is tried with every third.
  const cases = isolation === "process" ? everydayCases(bombs) : bombs.filter((_, at) => at % 3 === 0)

  it(`${cases.length} of ${bombs.length} end as they should`, async () => {
    const ends = new Map<string, { readonly exec: PhaseOutcome; readonly tally: PhaseOutcome }>()
    const waiting = [...cases]
    const worker = async (): Promise<void> => {
      for (let bomb = waiting.shift(); bomb !== undefined; bomb = waiting.shift()) {
        const { ends: end, name, program } = bomb
        // What goes out by itself may take its time on a busy machine; what does not is given little.
        const limits = end === "itself" ? patientLimits : shortLimits
        const [exec, tally] = phases.map((phase) => requestOf(program, phase, { limits }))
        if (exec === undefined || tally === undefined) throw new Error("no phases")
        ends.set(name, { exec: await runtime.run(exec), tally: await runtime.run(tally) })
        expect((await runtime.run(plain)).exitCode).toBe(0)
      }
    }
    await Promise.all(Array.from({ length: workers }, worker))
    const found = cases.map(({ name }) => {
      const outcome = ends.get(name)?.exec
      return [name, outcome === undefined ? undefined : endOf(outcome)]
    })
    expect(found).toEqual(cases.map(({ name, ends: end }) => [name, end]))
    for (const { ends: end, name } of cases) {
      const { exec, tally } = ends.get(name) ?? {}
      // What the machine ends or does not begin never looks like success.
      if (end !== "itself") expect([name, exec?.exitCode]).not.toEqual([name, 0])
      if (end === "refused" && tally !== undefined) expect([name, endOf(tally)]).toEqual([name, "refused"])
    }
    const outcomes = [...ends.values()].flatMap(({ exec, tally }) => [exec, tally])
    const deadlines = outcomes.filter(({ reason }) => reason?.startsWith("Execution time limit exceeded")).length
    const count = (end: string): string => `${outcomes.filter((outcome) => endOf(outcome) === end).length} ${end}`
    process.stdout.write(
      `${outcomes.length} runs of ${ends.size} hostile programs: ${["stopped", "refused", "itself"].map(count).join(", ")}; ` +
        `${deadlines} at the deadline, 0 crashes, 0 hangs; workers lost ${JSON.stringify([...runtime.lost])}\n`
    )
    // The machine knows of each worker that it lost why.
    expect([...runtime.lost.keys()].filter((reason) => reason !== "deadline")).toEqual([])
    expect(runtime.lost.get("deadline") ?? 0).toBe(deadlines)
  }, 300_000)
})

it("names and programs are each their own", () => {
  expect(new Set(bombs.map(({ name }) => name)).size).toBe(bombs.length)
  expect(new Set(bombs.map(({ program }) => Buffer.from(program).toString("base64"))).size).toBe(bombs.length)
  expect(bombs.length).toBeGreaterThan(180)
})
