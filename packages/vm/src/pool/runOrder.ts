/** What a worker does with an order: runs one pass, and the tally phase behind it if there is one, and reports. No Effect in here. */
import type { GuestCache } from "../pass/guestCache.ts"
import { pass, type PassInput, type PassResult } from "../pass/pass.ts"
import type { Tape } from "../tape/tape.ts"
import type { KeptPrograms } from "./keptPrograms.ts"
import type { PassOrder, WorkerReport } from "./messages.ts"
import type { OrderProgress } from "./orderProgress.ts"
import { runTally } from "./runTally.ts"

/** The caches of a worker, and where it notes which phase it is in. */
export interface WorkerState {
  readonly programs: KeptPrograms
  readonly guests: GuestCache
  readonly progress: OrderProgress
}

/** The tape of an ended phase: the answers ahead that it used belong on it. */
const tapeAfter = ({ ahead = [], tape }: PassInput, { usedAhead = 0 }: PassResult): Tape => ({
  ...tape,
  entries: [...tape.entries, ...ahead.slice(0, usedAhead)]
})

const passed = (order: PassOrder, { guests, programs, progress }: WorkerState): WorkerReport => {
  const startMs = performance.now()
  const { input, tally } = order
  const execProgram = programs.take(order)
  const tallyProgram = tally === undefined ? undefined : programs.take(tally)
  const result = pass(execProgram.prepare(), input, { guests })
  const followed = result.kind === "done" && result.ending.exitCode === 0 && tally !== undefined && tallyProgram !== undefined
  if (followed) progress.beginTally(performance.now() - startMs)
  const report = followed
    ? runTally(tally, tallyProgram.prepare, { ending: result.ending, tape: tapeAfter(input, result), limits: input.limits }, guests)
    : undefined
  return { kind: "passed", result, prepared: programs.takePrepared(), tally: report }
}

/** Runs an order with the programs that this worker keeps. Anything thrown is an internal defect. */
export const runOrder = (order: PassOrder, state: WorkerState): WorkerReport => {
  try {
    return passed(order, state)
  } catch (fault) {
    return { kind: "defect", message: fault instanceof Error ? (fault.stack ?? fault.message) : String(fault) }
  }
}
