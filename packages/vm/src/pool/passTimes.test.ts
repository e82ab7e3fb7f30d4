/** How long passes are expected to take: a long one counts at once, a short one only after several. */
import { describe, expect, it } from "vitest"
import { inputOf } from "../testdata/runProgram.ts"
import type { PassJob } from "./passJob.ts"
import { PassTimes } from "./passTimes.ts"

const jobOf = (programId: string, over: Partial<PassJob> = {}): PassJob => ({
  source: { programId, bytes: new Uint8Array(), memoryPages: 1 },
  input: inputOf("exec"),
  budgetMs: 1,
  projectId: "project",
  first: true,
  ...over
})

describe("the times of passes", () => {
  it("are unknown until a worker has told one, for each program, phase and tally by itself", () => {
    const times = new PassTimes()
    const tally = { source: jobOf("tally").source, base: "{}", blockHeight: 1n, gasLimit: 1n, budgetMs: 1 }
    times.note(jobOf("one"), 3)
    expect(times.expectedMs(jobOf("one"))).toBe(3)
    for (const other of [jobOf("two"), jobOf("one", { input: inputOf("tally") }), jobOf("one", { tally }), jobOf("one", { isCheck: true })])
      expect(times.expectedMs(other)).toBe(Infinity)
    expect(times.expectedMs(jobOf("two", { isAdmission: true }))).toBe(0)
  })

  it("follow a long pass at once, and come back to short ones slowly", () => {
    const times = new PassTimes()
    times.note(jobOf("one"), 1)
    times.note(jobOf("one"), 101)
    expect(times.expectedMs(jobOf("one"))).toBe(101)
    times.note(jobOf("one"), 1)
    expect(times.expectedMs(jobOf("one"))).toBe(76)
  })
})
