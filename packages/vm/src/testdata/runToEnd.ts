/** Runs a program to its end in this thread: passes over a growing tape, with every call answered at once. */
import type { Ending } from "../pass/ending.ts"
import { pass, type PassInput, type PassOptions } from "../pass/pass.ts"
import type { Preparation } from "../pass/prepare.ts"
import type { HostCall, Tape, TapeEntry } from "../tape/tape.ts"

/** The outcome of a run. */
export interface CompletedRun {
  readonly ending: Ending
  readonly tape: Tape
  readonly calls: ReadonlyArray<HostCall>
  /** The gas of each pass, the last one included. */
  readonly gasOfPasses: ReadonlyArray<bigint>
}

/** Passes until the program ends. A stack overflow or a call without an answer is an error of the test. */
export const runToEnd = (
  preparation: Preparation,
  input: PassInput,
  answer: (call: HostCall) => TapeEntry,
  options: PassOptions = {}
): CompletedRun => {
  const calls: Array<HostCall> = []
  const gasOfPasses: Array<bigint> = []
  let tape = input.tape
  for (;;) {
    const result = pass(preparation, { ...input, tape }, options)
    if (result.kind === "stackOverflow") throw new Error("the stack overflowed")
    if (result.kind === "done") {
      return { ending: result.ending, tape, calls, gasOfPasses: [...gasOfPasses, result.ending.gasUsed] }
    }
    calls.push(result.call)
    gasOfPasses.push(result.gasUsed)
    tape = { ...tape, entries: [...tape.entries, answer(result.call)] }
  }
}
