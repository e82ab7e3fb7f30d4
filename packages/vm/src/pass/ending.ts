/** How a phase ended, before it is reported in the form of either reference VM. */
import type { Phase, ReachedLimit } from "@sibyl/core"
import type { PreparedProgram } from "./prepare.ts"
import type { TerminalEntry } from "../tape/tape.ts"
import { resultReached, terminalReached } from "./reachedLimits.ts"

/** An outcome in the form of the tally reference: output as lists, and a result that may be withheld. */
export interface Ending {
  readonly exitCode: number
  readonly exitMessage: string
  readonly gasUsed: bigint
  readonly gasCharged: bigint
  /** Set if the phase timed out: the worker time spent on it, in ms. */
  readonly workerMs?: number
  /** Undefined if it was too large to be returned. */
  readonly result: Uint8Array | undefined
  /** The length of the result, returned or not. */
  readonly resultLength: number
  /** At most one entry: the program's output. */
  readonly stdout: ReadonlyArray<string>
  /** The VM's message, then the program's output. */
  readonly stderr: ReadonlyArray<string>
  /** Why the VM ended the program or did not start it; undefined if the program ended by itself. */
  readonly reason: string | undefined
  /** The limits that it reached; absent if there were none. */
  readonly limits?: ReadonlyArray<ReachedLimit>
}

/** A program that may start, or its ending without a start. */
export type Admission =
  | { readonly admitted: true; readonly program: PreparedProgram }
  | { readonly admitted: false; readonly ending: Ending }

/** A program that never started, or whose output is lost. */
export const withoutOutput = (
  exitCode: number,
  exitMessage: string,
  gasUsed: bigint,
  gasCharged: bigint,
  stderr: ReadonlyArray<string>
): Ending => ({
  exitCode,
  exitMessage,
  gasUsed,
  gasCharged,
  result: new Uint8Array(),
  resultLength: 0,
  stdout: [],
  stderr,
  reason: exitMessage === "Not ok" ? stderr[0] : exitMessage
})

/** The same ending with these limits beside those that it has. */
export const withReached = (ending: Ending, limits: ReadonlyArray<ReachedLimit>): Ending =>
  limits.length === 0 ? ending : { ...ending, limits: [...limits, ...(ending.limits ?? [])] }

/** The same ending with its result withheld, because it is larger than the limit. */
export const withheld = (ending: Ending, maxBytes: number): Ending => {
  const reason = `Result larger than ${maxBytes}bytes.`
  return withReached({ ...ending, exitCode: 255, exitMessage: reason, result: undefined, reason }, [resultReached(maxBytes)])
}

/** The exit code of endings by the VM. */
export const abnormalExit: Readonly<Record<Phase, number>> = { exec: 1, tally: 252 }

/** What a terminal entry is called in the phase's stderr. */
const terminalText = (entry: TerminalEntry): string => {
  switch (entry.kind) {
    case "deadline":
      return `Execution time limit exceeded (${entry.limitMs}ms)`
    case "stackOverflow":
      return "call stack exhausted"
    case "workerLost":
      return entry.loss.why === "memory"
        ? `Memory limit of the worker exceeded (${entry.loss.limitMib}MiB)`
        : "The program ended its worker"
  }
}

/**
 * The ending for a terminal entry. Output and result are lost: how far the program came depends on the machine, and an execution must not.
 */
export const terminalEnding = (phase: Phase, entry: TerminalEntry, gasLimit: bigint): Ending => {
  const gasCharged = entry.kind === "stackOverflow" ? gasLimit : entry.gasCharged
  const lost = withoutOutput(abnormalExit[phase], "Not ok", gasLimit, gasCharged, [terminalText(entry)])
  const ending = withReached(lost, terminalReached(phase, entry))
  return entry.kind === "stackOverflow" ? ending : { ...ending, workerMs: entry.workerMs }
}
