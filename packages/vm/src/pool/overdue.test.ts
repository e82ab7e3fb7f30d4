/** When a phase of an order is overdue: each by its own wall clock, with every begun millisecond in one of them. */
import fc from "fast-check"
import { expect, it } from "vitest"
import type { TallyJob } from "./passJob.ts"
import { overdue } from "./overdue.ts"

const ms = fc.integer({ min: 2, max: 100_000 })
const tallyOf = (budgetMs: number): TallyJob => ({
  base: "",
  blockHeight: 0n,
  gasLimit: 0n,
  budgetMs,
  source: { programId: "", bytes: new Uint8Array(), memoryPages: 1 }
})

it("is an execution with its own time, whatever follows it", () => {
  fc.assert(
    fc.property(ms, ms, ms, fc.boolean(), (budgetMs, tallyMs, elapsedMs, follows) => {
      const job = follows ? { budgetMs, tally: tallyOf(tallyMs) } : { budgetMs }
      const isOver = elapsedMs + 1 >= budgetMs
      expect(overdue(job, elapsedMs, undefined)).toEqual(
        isOver ? { kind: "deadline", elapsedMs } : { kind: "inTime", leftMs: budgetMs - elapsedMs }
      )
    })
  )
})

it("is a tally with the time since it began", () => {
  fc.assert(
    fc.property(ms, ms, ms, ms, (budgetMs, tallyMs, afterMs, inTallyMs) => {
      const verdict = overdue({ budgetMs, tally: tallyOf(tallyMs) }, afterMs + inTallyMs, afterMs)
      const isOver = inTallyMs + 1 >= tallyMs
      expect(verdict).toEqual(isOver ? { kind: "tallyDeadline", elapsedMs: inTallyMs } : { kind: "inTime", leftMs: tallyMs - inTallyMs })
    })
  )
})
