/** How the execution phase starts and reports its ending, as its reference VM does (decision D25). */
import type { Limits, ReachedLimit } from "@sibyl/core"
import type { HostState } from "../host/state/hostState.ts"
import { ranOutOfGas, reasonOf, type EndCause } from "./endCause.ts"
import { abnormalExit, withheld, withoutOutput, withReached, type Admission, type Ending } from "./ending.ts"
import type { ProgramEnvironment } from "../host/state/environment.ts"
import type { Preparation, PreparedProgram } from "./prepare.ts"
import { gasReached, moduleReached, pagesReached } from "./reachedLimits.ts"

const smaller = (left: bigint, right: bigint): bigint => (left < right ? left : right)

/**
 * A program that does not start: its start-up cost counts as used, even above the limit as in the reference, but at most the limit is
 * charged, because only that was held.
 */
export const execRefused = (fault: string, startupGas: bigint, gasLimit: bigint): Ending =>
  withoutOutput(abnormalExit.exec, fault, startupGas, smaller(startupGas, gasLimit), [fault])

/** Why a program cannot start, and the limit that this is about. */
interface StartFault {
  readonly text: string
  readonly limits: ReadonlyArray<ReachedLimit>
}

const faultOf = ({ link, source }: PreparedProgram, startupGas: bigint, gasLimit: bigint): StartFault | undefined => {
  const plain = (text: string): StartFault => ({ text, limits: [] })
  // The network's nodes report the same for a program that never started.
  if (startupGas > gasLimit) return { text: ranOutOfGas, limits: [gasReached("exec", gasLimit)] }
  if (link.importFault !== undefined) return plain(link.importFault)
  if (link.memoryFault !== undefined) return { text: link.memoryFault, limits: [pagesReached(source.memoryPages)] }
  if (link.startSection) return plain("a start function cannot be paid for")
  return link.entry === undefined ? plain("the module exports no function _start") : undefined
}

/** Whether a program may start. Start-up is charged for any fault. */
export const execAdmission = (preparation: Preparation, { startupGas }: ProgramEnvironment, gasLimit: bigint): Admission => {
  const refused = ({ limits, text }: StartFault): Admission => ({
    admitted: false,
    ending: withReached(execRefused(text, startupGas, gasLimit), limits)
  })
  if (!preparation.accepted) {
    const { kind, message } = preparation.refusal
    return refused({ text: message, limits: kind === "bound" ? [moduleReached] : [] })
  }
  const fault = faultOf(preparation.value, startupGas, gasLimit)
  return fault === undefined ? { admitted: true, program: preparation.value } : refused(fault)
}

const exitCodeOf = (cause: EndCause): number => (cause.kind === "returned" ? 0 : cause.kind === "exit" ? cause.code : abnormalExit.exec)

/** The text of these bytes up to a limit, without a character that the limit would split. */
const textUpTo = (bytes: Uint8Array, maxBytes: number): string =>
  new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, maxBytes), { stream: true })

/** The program's own output, then the VM's message on its own line, both within the limit. */
const stderrOf = (state: HostState, message: string, maxBytes: number): string => {
  const written = textUpTo(state.stderr.bytes(), maxBytes)
  const between = message === "" || written === "" || written.endsWith("\n") ? "" : "\n"
  return textUpTo(new TextEncoder().encode(`${written}${between}${message}`), maxBytes)
}

const listOf = (text: string): ReadonlyArray<string> => (text === "" ? [] : [text])

/** Reports the ending of a program that ran. A result above the limit is withheld with exit code 255, as the nodes do. */
export const execEnding = (
  cause: EndCause,
  state: HostState,
  limits: Pick<Limits, "stdoutBytes" | "stderrBytes" | "resultBytes">
): Ending => {
  const gasUsed = state.gas.used
  const exitCode = exitCodeOf(cause)
  const reason = reasonOf(cause)
  const ending: Ending = {
    exitCode,
    exitMessage: exitCode === 0 ? "Ok" : "Not ok",
    gasUsed,
    gasCharged: gasUsed,
    result: state.result,
    resultLength: state.result.length,
    stdout: listOf(textUpTo(state.stdout.bytes(), limits.stdoutBytes)),
    stderr: listOf(stderrOf(state, reason ?? "", limits.stderrBytes)),
    reason
  }
  return state.result.length > limits.resultBytes ? withheld(ending, limits.resultBytes) : ending
}
