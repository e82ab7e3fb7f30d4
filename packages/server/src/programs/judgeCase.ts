/** Whether a golden case came out as expected, and how its gas has changed. */
import { printable } from "../output/printable.ts"
import type { ProgramOutcome } from "@sibyl/devkit"
import { amountText } from "../input/amount.ts"
import { type Expectation, stderrOf } from "./goldenCase.ts"
import { resultBytes, resultText } from "./shownResult.ts"

/** The verdict on one case. */
export interface Verdict {
  /** Differences from the expectation, one line each; empty if the case passed. */
  readonly faults: ReadonlyArray<string>
  /** The gas of both phases minus the expected gas; `null` if that is not known. */
  readonly gasChange: bigint | null
}

const sameBytes = (left: Uint8Array, right: Uint8Array | undefined): boolean =>
  right !== undefined && left.length === right.length && left.every((byte, at) => byte === right[at])

const unanswered = ({ calls }: ProgramOutcome): ReadonlyArray<string> =>
  calls.flatMap(({ failure }) => (failure?.startsWith("no answer is recorded for") === true ? [failure] : []))

const faultsOf = (outcome: ProgramOutcome, expected: Expectation): ReadonlyArray<string> => {
  const stderr = stderrOf(outcome)
  const faults: Array<string> = []
  if (outcome.exitCode !== expected.exitCode) {
    faults.push(`exit code ${outcome.exitCode}, expected ${expected.exitCode}`)
  }
  if (!sameBytes(outcome.result, resultBytes(expected.result))) {
    faults.push(`result ${printable(JSON.stringify(resultText(outcome.result)))}, expected ${JSON.stringify(expected.result)}`)
  }
  if (expected.stderr !== undefined && !new RegExp(expected.stderr, "u").test(stderr)) {
    faults.push(`stderr ${printable(JSON.stringify(stderr))} does not match /${expected.stderr}/`)
  }
  return faults
}

/** Judges an outcome. */
export const judgeCase = (outcome: ProgramOutcome, expected: Expectation | undefined): Verdict => {
  if (expected === undefined) {
    return { faults: ["nothing is expected yet: sibyl test --update writes what comes out"], gasChange: null }
  }
  const faults = faultsOf(outcome, expected)
  const gas = expected.gas
  const before = gas === undefined ? null : BigInt(gas.exec) + BigInt(gas.tally ?? "0")
  return {
    faults: faults.length === 0 ? [] : [...faults, ...unanswered(outcome)],
    gasChange: before === null ? null : outcome.exec.gasUsed + (outcome.tally?.gasUsed ?? 0n) - before
  }
}

/** A change of gas for people: with its sign, `none` for none, a dash if it is not known. */
export const gasChangeText = (change: bigint | null): string => {
  if (change === null) return "-"
  if (change === 0n) return "none"
  return change > 0n ? `+${amountText(change)}` : `-${amountText(-change)}`
}
