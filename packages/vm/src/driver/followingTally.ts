/** A tally phase that runs behind its execution phase on the same worker: as the pool is asked for it, and as it comes back. */
import type { FollowingTally, PhaseOutcome, PhaseRequest, RunOutcome, TallyResult } from "@sibyl/core"
import { type TallyBase, tallyBaseOf } from "@sibyl/core/internal"
import { terminalEnding } from "../pass/ending.ts"
import type { TallyReport } from "../orders/messages.ts"
import type { TallyJob } from "../pool/passJob.ts"
import { emptyTape, type TerminalEntry } from "../tape/tape.ts"
import { recordedTapeOf } from "../tape/tapeText.ts"
import type { StoppedTally } from "./phaseProgress.ts"
import { outcomeOfEnding, phaseOutcomeOf } from "./phaseOutcome.ts"
import type { PrefetchedPhase } from "./prefetching.ts"

/** The text of each base, made once: runs of the same request share it. */
const texts = new WeakMap<TallyBase, string>()

const textOf = (base: TallyBase): string => {
  const known = texts.get(base)
  if (known !== undefined) return known
  const text = JSON.stringify(base)
  texts.set(base, text)
  return text
}

/** The tally phase as the pool is asked for it. */
export const tallyJobOf = ({ limits, projectId }: PhaseRequest, { blockHeight, program, request, sign }: FollowingTally): TallyJob => ({
  source: { programId: request.tallyProgramId, bytes: program, memoryPages: limits.memoryPages },
  base: textOf(tallyBaseOf(request)),
  blockHeight,
  gasLimit: request.tallyGasLimit,
  budgetMs: limits.tallyWallClockMs,
  ...(sign === undefined ? {} : { sign: { projectId, ...sign } })
})

/** A tally program is told nothing from outside. */
const tapeOf = ({ isRecorded = false, limits }: PhaseRequest, ...entries: ReadonlyArray<TerminalEntry>): Pick<PhaseOutcome, "tape"> =>
  isRecorded ? { tape: recordedTapeOf({ ...emptyTape, entries }, limits.recordingBytes) } : {}

const resultOf = (tally: TallyReport | StoppedTally, exec: PhaseRequest, tallyGasLimit: bigint): TallyResult => {
  if ("elapsedMs" in tally) {
    const { limits } = exec
    const workerMs = Math.ceil(tally.elapsedMs)
    const spent = { gasCharged: 0n, workerMs }
    const entry: TerminalEntry =
      tally.loss === undefined
        ? { kind: "deadline", limitMs: limits.tallyWallClockMs, ...spent }
        : { kind: "workerLost", loss: tally.loss, ...spent }
    // The filter had found consensus: without it, there is no tally phase.
    return { consensus: true, phase: { ...outcomeOfEnding(terminalEnding("tally", entry, tallyGasLimit)), ...tapeOf(exec, entry) } }
  }
  return "refusal" in tally ? tally : { consensus: tally.consensus, phase: { ...outcomeOfEnding(tally.ending), ...tapeOf(exec) } }
}

/** Both phases as they came back. */
export const runOutcomeOf = (run: PrefetchedPhase, exec: PhaseRequest, tallyGasLimit: bigint): RunOutcome => {
  const { signed, tally } = run.driven
  return {
    exec: phaseOutcomeOf(run, exec),
    ...(tally === undefined ? {} : { tally: resultOf(tally, exec, tallyGasLimit) }),
    ...(signed === undefined ? {} : { signed })
  }
}
