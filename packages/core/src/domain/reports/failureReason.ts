/** Why a run failed, in one line: the beginning of what a client logs (decision D16). */
import { toUtf8 } from "../encoding/bytes.ts"
import type { ExecutionReport, PhaseReport } from "./executionReport.ts"

/** A VM's reason can contain names from the program, so it is cut to 200 characters, without splitting a surrogate pair. */
const beginning = /^.{0,200}/u

/** One line, cut, with a full stop at its end. */
const sentence = (text: string): string => {
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim()
  const begun = beginning.exec(line)?.[0] ?? ""
  const cut = begun === line ? line : `${begun}…`
  return /[.…]$/.test(cut) ? cut : `${cut}.`
}

const phaseText = (name: string, { exitCode, reason }: PhaseReport): string =>
  `${name} ended with exit code ${exitCode}${reason === undefined ? "." : `: ${sentence(reason)}`}`

/** Mode and deviation read a value of each reveal; one that they cannot read counts as an error, also where its executor succeeded. */
const readsValues = ({ consensusFilter }: ExecutionReport["dataRequest"]): boolean => (consensusFilter[0] ?? 0) !== 0

/** Several executors and no tally: the disagreement, and how the first of them ended if it failed. */
const disagreement = ({ dataRequest, dataResult: { consensus, exitCode, result }, execute }: ExecutionReport): string => {
  const failed = readsValues(dataRequest)
    ? "Most executors failed or revealed no value that the consensus filter can read"
    : "Most executors failed"
  const what = consensus ? failed : "The executors did not agree"
  const first = execute.exitCode === 0 ? "" : ` ${phaseText("The first executor", execute)}`
  return `${what} (exit code ${exitCode}): ${sentence(toUtf8(result) ?? "")}${first}`
}

/** Why a failed run failed. */
export const failureReason = (report: ExecutionReport): string => {
  const { dataRequest, execute, tally } = report
  if (tally !== null) return phaseText("The tally phase", tally)
  return dataRequest.replicationFactor === 1 && execute.exitCode !== 0 ? phaseText("The execution phase", execute) : disagreement(report)
}

/** A phase's stderr, with the VM's reason appended if the reference VM does not write it (decision D25). */
export const stderrWithReason = (stderr: string, reason: string | undefined): string => {
  if (reason === undefined || stderr.includes(reason)) return stderr
  const between = stderr === "" || stderr.endsWith("\n") ? "" : "\n"
  return `${stderr}${between}${reason}`
}
