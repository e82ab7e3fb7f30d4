/** How long passes are expected to take: a long one counts at once, a short one only after several. */
import { describe, expect, it } from "vitest"
import { inputOf } from "../testdata/runProgram.ts"
import { PassTimes, timesKeyOf } from "./passTimes.ts"

const jobOf = (programId: string) => ({ source: { programId, bytes: new Uint8Array(), memoryPages: 1 }, input: inputOf("exec") })

describe("the times of passes", () => {
  it("are known for each program, phase and tally by itself, once a worker has told one", () => {
    const times = new PassTimes()
    const tally = { source: jobOf("tally").source, base: "{}", blockHeight: 1n, gasLimit: 1n, budgetMs: 1 }
    const one = jobOf("one")
    times.note(timesKeyOf(one), 3)
    expect(times.expectedMs(timesKeyOf(jobOf("one")))).toBe(3)
    for (const other of [
      jobOf("two"),
      { ...one, input: inputOf("tally") },
      { ...one, tally },
      { ...one, source: { ...one.source, memoryPages: 2 } }
    ]) {
      expect(times.expectedMs(timesKeyOf(other))).toBe(Infinity)
    }
  })

  it("follow a long pass at once, and come back to short ones slowly", () => {
    const times = new PassTimes()
    for (const ranMs of [1, 101]) times.note("one", ranMs)
    expect(times.expectedMs("one")).toBe(101)
    times.note("one", 1)
    expect(times.expectedMs("one")).toBe(76)
  })
})
