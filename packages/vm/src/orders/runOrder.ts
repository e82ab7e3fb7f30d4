/** What a worker does with an order: one pass; if that ends a run's execution, the rest of the run; and its report. No Effect in here. */
import type { RunSignature } from "@sibyl/core"
import type { Ending } from "../pass/ending.ts"
import type { GuestCache } from "../pass/guestCache.ts"
import { linkFault } from "../check/linkFault.ts"
import { pass, type PassInput, type PassResult } from "../pass/pass.ts"
import type { Preparation } from "../pass/prepare.ts"
import type { Tape } from "../tape/tape.ts"
import type { KeptPrograms } from "./keptPrograms.ts"
import type { OrderedTally, PassOrder, TallyReport, WorkerReport } from "./messages.ts"
import type { OrderProgress } from "./orderProgress.ts"
import type { ResultSigner } from "./resultSigner.ts"
import { runTally, type TallyTerms } from "./runTally.ts"
import type { KeptTerms } from "./runTerms.ts"

/** The caches of a worker, where it notes which phase it is in, and its signer if it has one. */
export interface WorkerState {
  readonly programs: KeptPrograms
  readonly terms: KeptTerms
  readonly guests: GuestCache
  readonly progress: Pick<OrderProgress, "beginTally" | "isNextRecalled">
  readonly signer: ResultSigner | undefined
}

/** The rest of a run behind its execution. */
interface RestOfRun {
  readonly tally: TallyReport | undefined
  readonly tallyMs: number
  readonly signed: RunSignature | undefined
}

const nothing: RestOfRun = { tally: undefined, tallyMs: 0, signed: undefined }

/** The tape of an ended phase: the answers ahead that it used belong on it. */
const tapeAfter = ({ ahead = [], tape }: PassInput, { usedAhead = 0 }: PassResult): Tape => ({
  ...tape,
  entries: [...tape.entries, ...ahead.slice(0, usedAhead)]
})

/** The tally phase as it is ordered, with its terms. */
interface OrderedRest extends TallyTerms, Pick<OrderedTally, "sign"> {}

const restOf = (
  order: OrderedRest,
  prepare: () => Preparation,
  exec: { readonly ending: Ending; readonly tape: Tape; readonly limits: PassInput["limits"] },
  { guests, signer }: WorkerState
): RestOfRun => {
  const startMs = performance.now()
  const tally = exec.ending.exitCode === 0 ? runTally(order, prepare, exec, guests) : undefined
  const tallyMs = performance.now() - startMs
  const { base, blockHeight, sign } = order
  const signed = sign === undefined ? undefined : signer?.sign({ drId: base.drId, blockHeight, ...sign }, exec.ending, tally)
  return { tally, tallyMs, signed }
}

const passed = (order: PassOrder, state: WorkerState): WorkerReport => {
  const { programs, progress } = state
  const startMs = performance.now()
  const { ahead, tally, tape } = order
  const terms = state.terms.take(order.terms)
  const input: PassInput = ahead === undefined ? { tape, ...terms.input } : { tape, ahead, ...terms.input }
  const execProgram = programs.take(order)
  const tallyProgram = tally === undefined ? undefined : programs.take(tally)
  const result = pass(execProgram.prepare(), input, { guests: state.guests })
  let rest = nothing
  if (result.kind === "done" && tally !== undefined && tallyProgram !== undefined && terms.tally !== undefined) {
    if (result.ending.exitCode === 0) progress.beginTally(performance.now() - startMs)
    const { blockHeight, sign } = tally
    const ordered = { base: terms.tally.base, gasLimit: terms.tally.gasLimit, blockHeight, sign }
    rest = restOf(ordered, tallyProgram.prepare, { ending: result.ending, tape: tapeAfter(input, result), limits: input.limits }, state)
  }
  return { kind: "passed", result, ranMs: performance.now() - startMs, prepared: programs.takePrepared(), ...rest }
}

const checked = (order: PassOrder, { programs, terms }: WorkerState): WorkerReport => {
  terms.take(order.terms)
  const preparation = programs.take(order).prepare()
  const fault = preparation.accepted ? linkFault(preparation.value.link, order.phase) : preparation.refusal.message
  return { kind: "checked", fault, prepared: programs.takePrepared() }
}

/** Its programs and terms are taken all the same, as the pool counts them. */
const leftOut = (order: PassOrder, { programs, terms }: WorkerState): WorkerReport => {
  terms.take(order.terms)
  programs.take(order)
  if (order.tally !== undefined) programs.take(order.tally)
  return { kind: "leftOut" }
}

/** Runs an order with the programs that this worker keeps, unless it was recalled. Anything thrown is an internal defect. */
export const runOrder = (order: PassOrder, state: WorkerState): WorkerReport => {
  try {
    if (state.progress.isNextRecalled) return leftOut(order, state)
    return order.isCheck === true ? checked(order, state) : passed(order, state)
  } catch (fault) {
    return { kind: "defect", message: fault instanceof Error ? (fault.stack ?? fault.message) : String(fault) }
  }
}
