/** The one-line reason of a failed run: the phase, its exit code, the VM's reason, or how the executors disagreed. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { aPhase, aReport } from "../../testdata/reports.ts"
import { fromUtf8 } from "../encoding/bytes.ts"
import type { ExecutionReport, PhaseReport } from "./executionReport.ts"
import { failureReason, stderrWithReason } from "./failureReason.ts"
import { writeConsensusFilter } from "../protocol/consensusFilter.ts"
import { tallyRefusalOf } from "../protocol/tallyRefusal.ts"

const failedExecution = (fields: Partial<PhaseReport>): ExecutionReport => ({
  ...aReport,
  execute: { ...aPhase, exitCode: 1, ...fields },
  tally: null
})

const failedTally = (fields: Partial<PhaseReport>): ExecutionReport => ({
  ...aReport,
  tally: { ...aPhase, exitCode: 252, ...fields }
})

/** Three executors without a tally. */
const refusedTally = (error: Parameters<typeof tallyRefusalOf>[0], consensus: boolean, execute: Partial<PhaseReport>) => ({
  ...aReport,
  dataRequest: { ...aReport.dataRequest, replicationFactor: 3 },
  dataResult: { ...aReport.dataResult, consensus, ...tallyRefusalOf(error, Uint8Array.of(0)) },
  execute: { ...aPhase, ...execute },
  tally: null
})

describe("the reason of a failure", () => {
  it("is the exit code alone if the program exited by itself", () => {
    expect(failureReason(failedExecution({ exitCode: 7 }))).toBe("The execution phase ended with exit code 7.")
    expect(failureReason(failedTally({ exitCode: 1_000 }))).toBe("The tally phase ended with exit code 1000.")
  })

  it("is the VM's if the VM ended the program", () => {
    const tooLarge = "Result larger than 96000bytes."
    expect(failureReason(failedExecution({ reason: "Ran out of gas" }))).toBe("The execution phase ended with exit code 1: Ran out of gas.")
    expect(failureReason(failedTally({ reason: "unreachable" }))).toBe("The tally phase ended with exit code 252: unreachable.")
    expect(failureReason(failedTally({ exitCode: 255, reason: tooLarge }))).toBe(
      "The tally phase ended with exit code 255: Result larger than 96000bytes."
    )
  })

  it("is the disagreement if the executors do not agree, never an exit code of 0", () => {
    expect(failureReason(refusedTally("ErrNoBasicConsensus", false, {}))).toBe(
      "The executors did not agree (exit code 254): > 1/3 of reveals do not agree on (exit_code_success, proxy_pub_keys)."
    )
    expect(failureReason(refusedTally("ErrConsensusInError", true, { exitCode: 1, reason: "unreachable" }))).toBe(
      "Most executors failed (exit code 254): consensus in error. The first executor ended with exit code 1: unreachable."
    )
  })

  it("does not say that executors failed where the filter may not have found its value", () => {
    const failed = refusedTally("ErrConsensusInError", true, {})
    const consensusFilter = writeConsensusFilter({ method: "mode", jsonPath: "$.price", path: [] })
    expect(failureReason({ ...failed, dataRequest: { ...failed.dataRequest, consensusFilter } })).toBe(
      "Most executors failed or revealed no value that the consensus filter can read (exit code 254): consensus in error."
    )
    expect(failureReason(failed)).toBe("Most executors failed (exit code 254): consensus in error.")
  })

  it("is one short line, whatever the program contains", () => {
    fc.assert(
      fc.property(fc.fullUnicodeString({ maxLength: 2_000 }), fc.boolean(), (reason, inTally) => {
        const text = failureReason(inTally ? failedTally({ reason }) : failedExecution({ reason }))
        expect(text).not.toMatch(/\p{Cc}/u)
        expect(text.length).toBeLessThan(600)
        expect(text).toMatch(/^The (execution|tally) phase ended with exit code [0-9]+: .*[.…]$/)
      })
    )
    const filter = { ...aReport, dataResult: { ...aReport.dataResult, exitCode: 254, result: fromUtf8("a\nb") }, tally: null }
    expect(failureReason(filter)).toBe("Most executors failed (exit code 254): a b.")
  })
})

describe("standard error", () => {
  it("ends with the reason on its own line, unless it already contains it", () => {
    expect(stderrWithReason("", "unreachable")).toBe("unreachable")
    expect(stderrWithReason("said", "unreachable")).toBe("said\nunreachable")
    expect(stderrWithReason("said\n", "unreachable")).toBe("said\nunreachable")
    expect(stderrWithReason("said\nunreachable", "unreachable")).toBe("said\nunreachable")
    expect(stderrWithReason("said", undefined)).toBe("said")
  })
})
