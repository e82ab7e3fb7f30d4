/** How a phase ended, before the two references' ways of reporting it. */
import type { Phase } from "@sibyl/core"
import type { PreparedProgram } from "./prepare.ts"
import type { TerminalEntry } from "../tape/tape.ts"

/** An outcome in the form of the tally reference: output as lists, a result that may be withheld. */
export interface Ending {
  readonly exitCode: number
  readonly exitMessage: string
  readonly gasUsed: bigint
  readonly gasCharged: bigint
  /** Set when the wall clock ended it: what workers spent on it, in ms. */
  readonly workerMs?: number
  /** Undefined when it was too large to be handed over. */
  readonly result: Uint8Array | undefined
  /** The length of the result, handed over or not. */
  readonly resultLength: number
  /** At most one entry: what the program wrote. */
  readonly stdout: ReadonlyArray<string>
  /** The machine's message, then what the program wrote. */
  readonly stderr: ReadonlyArray<string>
  /** Why the machine ended the program or did not start it; undefined when the program chose its end. */
  readonly reason: string | undefined
}

/** Why the program came to its end. */
export type EndCause =
  | { readonly kind: "returned" }
  | { readonly kind: "exit"; readonly code: number }
  /** A trap of the host, whose text is part of the ABI. */
  | { readonly kind: "hostTrap"; readonly text: string }
  | { readonly kind: "engineTrap"; readonly text: string }
  | { readonly kind: "unpaidCall" }
  | { readonly kind: "outOfGas" }

/** A program that may start, or how it ends without starting. */
export type Admission =
  | { readonly admitted: true; readonly program: PreparedProgram }
  | { readonly admitted: false; readonly ending: Ending }

/** The text that both references write when gas runs out. */
export const ranOutOfGas = "Ran out of gas"

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

/** Why the machine ended the program; undefined when the program did. */
export const reasonOf = (cause: EndCause): string | undefined => {
  switch (cause.kind) {
    case "outOfGas":
    case "unpaidCall":
      return ranOutOfGas
    case "hostTrap":
    case "engineTrap":
      return cause.text
    default:
      return undefined
  }
}

/** The same end with its result withheld, because it is larger than its reader takes. */
export const withheld = (ending: Ending, maxBytes: number): Ending => {
  const reason = `Result larger than ${maxBytes}bytes.`
  return { ...ending, exitCode: 255, exitMessage: reason, result: undefined, reason }
}

/** The exit code of ends that the program did not choose. */
export const abnormalExit: Readonly<Record<Phase, number>> = { exec: 1, tally: 252 }

/**
 * The end that a terminal entry stands for. Output and result are lost with it: how far the program came depends on
 * the machine, and an execution must not.
 */
export const terminalEnding = (phase: Phase, entry: TerminalEntry, gasLimit: bigint): Ending =>
  entry.kind === "deadline"
    ? {
        ...withoutOutput(abnormalExit[phase], "Not ok", gasLimit, entry.gasCharged, [`Execution time limit exceeded (${entry.limitMs}ms)`]),
        workerMs: entry.workerMs
      }
    : withoutOutput(abnormalExit[phase], "Not ok", gasLimit, gasLimit, ["call stack exhausted"])
