/** A phase under way, and what follows after each of its passes: decisions only. */
import { Overloaded, type PhaseRequest, type RunSignature, RuntimeDefect } from "@sibyl/core"
import { retryAfterSeconds } from "@sibyl/core/internal"
import { type Ending, terminalEnding } from "../pass/ending.ts"
import { phaseGasLimit } from "../pass/phaseGasLimit.ts"
import type { TallyReport } from "../orders/messages.ts"
import type { PassReply, TallyJob } from "../pool/passJob.ts"
import { type AnsweredCall, type HostCall, isTerminal, type Tape, type TerminalEntry, type WorkerLoss } from "../tape/tape.ts"
import { type PhaseSpending, storageAt } from "./continuation.ts"
import { type RunStorage, untouched } from "./runStorage.ts"

/** An ended phase, and the tape on which it can be run again. */
export interface DrivenPhase {
  readonly ending: Ending
  readonly tape: Tape
  /** What the program changed of what it keeps. */
  readonly storage: RunStorage
  /** How the tally phase behind it ended, if it was asked for and this one ended with exit code 0. */
  readonly tally?: TallyReport | StoppedTally
  /** The signature of the run's result, if the worker that ended the run has made it. */
  readonly signed?: RunSignature
}

/** The tally phase ended with its worker: at its deadline, or because the worker was lost. */
export interface StoppedTally {
  readonly elapsedMs: number
  readonly loss?: WorkerLoss
}

/** A phase under way. Times are in ms. */
export interface PhaseProgress {
  readonly tape: Tape
  readonly storage: RunStorage
  readonly wallClockLeftMs: number
  readonly httpLeftMs: number
  /** What workers spent on its passes. */
  readonly workerMs: number
  /** The gas of the last finished pass. */
  readonly gasUsed: bigint
  /** Whether it has had its turn at the workers. What has begun goes on: a run that was refused later would have worked for nothing. */
  readonly hasBegun: boolean
  /** Prefetched answers for the calls of the next pass. */
  readonly ahead: ReadonlyArray<AnsweredCall>
  /** The tally phase to be run behind the last pass, by the same worker. */
  readonly tally: TallyJob | undefined
  /** Set if the tally phase was ended, and this phase's outcome was lost with its worker: the last pass is run again, to the same end. */
  readonly stoppedTally?: StoppedTally
}

/** What is next for a phase. */
export type NextStep =
  | { readonly kind: "ended"; readonly driven: DrivenPhase }
  /** It has had its turn, and waits for its prefetched answers. */
  | { readonly kind: "await"; readonly progress: PhaseProgress }
  /** The same pass once more. */
  | { readonly kind: "again"; readonly progress: PhaseProgress }
  /** The program's call is to be answered. `used`: the answers ahead that the calls before it got. */
  | { readonly kind: "answer"; readonly call: HostCall; readonly progress: PhaseProgress }
  /** No worker had the run: it did not begin. */
  | { readonly kind: "refused"; readonly error: Overloaded }
  | { readonly kind: "defect"; readonly defect: RuntimeDefect }

const wallClockMs = ({ limits, phase }: PhaseRequest): number => (phase === "exec" ? limits.execWallClockMs : limits.tallyWallClockMs)

/** A phase before its first pass here; `spent` is what it had spent elsewhere. */
export const beginning = (request: PhaseRequest, tape: Tape, tally: TallyJob | undefined, spent?: PhaseSpending): PhaseProgress => ({
  tape,
  storage: storageAt(tape, spent),
  wallClockLeftMs: spent?.wallClockLeftMs ?? wallClockMs(request),
  httpLeftMs: spent?.httpLeftMs ?? request.limits.httpRunBudgetMs,
  workerMs: spent?.workerMs ?? 0,
  gasUsed: spent?.gasUsed ?? 0n,
  hasBegun: request.phase !== "exec" || tape.entries.length > 0,
  ahead: [],
  tally
})

/** Ends the tape with an entry that the program had no part in. */
const endedBy = (entry: TerminalEntry, request: PhaseRequest, tape: Tape): DrivenPhase => {
  const gasLimit = phaseGasLimit(request.phase, request.envs, request.gasLimit)
  return {
    ending: typeof gasLimit === "bigint" ? terminalEnding(request.phase, entry, gasLimit) : gasLimit,
    tape: { ...tape, entries: [...tape.entries, entry] },
    // Nothing is kept of a run that ended so.
    storage: untouched
  }
}

/** The phase ended by its wall clock. */
export const deadline = (request: PhaseRequest, { gasUsed, tape, workerMs }: PhaseProgress): DrivenPhase =>
  endedBy({ kind: "deadline", limitMs: wallClockMs(request), gasCharged: gasUsed, workerMs: Math.ceil(workerMs) }, request, tape)

const lost = (loss: WorkerLoss, request: PhaseRequest, { gasUsed, tape, workerMs }: PhaseProgress): DrivenPhase =>
  endedBy({ kind: "workerLost", loss, gasCharged: gasUsed, workerMs: Math.ceil(workerMs) }, request, tape)

/** What the phase has spent, for whoever continues it with its tape. */
export const spendingOf = ({ gasUsed, httpLeftMs, storage, wallClockLeftMs, workerMs }: PhaseProgress): PhaseSpending => ({
  wallClockLeftMs,
  httpLeftMs,
  workerMs,
  gasUsed,
  storedBefore: storage.before
})

/** The time of the last answer on a tape, in ms since the Unix epoch. */
export const lastMs = (tape: Tape): number => {
  const last = tape.entries.at(-1)
  return last === undefined || isTerminal(last) ? tape.startTimeMs : last.atMs
}

const refused = (why: string, waitMs = 0): NextStep => ({
  kind: "refused",
  error: new Overloaded({ message: `${why}; nothing ran and nothing was charged`, retryAfterSeconds: retryAfterSeconds(waitMs) })
})

/** The answers ahead that the calls of a pass got. */
export const usedAhead = (reply: PassReply, { ahead }: PhaseProgress): ReadonlyArray<AnsweredCall> =>
  reply.kind === "passed" ? ahead.slice(0, reply.result.usedAhead ?? 0) : []

/** What follows after a reply of the pool. */
export const stepAfter = (reply: PassReply, request: PhaseRequest, progress: PhaseProgress): NextStep => {
  switch (reply.kind) {
    case "defect":
      return { kind: "defect", defect: new RuntimeDefect(reply.message) }
    case "queueFull":
      return refused("too many runs wait for a worker")
    case "waitedTooLong":
      return refused(`no worker was free within ${request.limits.queueWaitMs} ms`, request.limits.queueWaitMs)
    case "abandoned":
      return refused("its caller left before a worker was free")
    case "checked":
      return { kind: "defect", defect: new RuntimeDefect("a pass was only checked") }
    case "admitted":
      return { kind: "await", progress: { ...progress, hasBegun: true } }
    case "deadline":
      return { kind: "ended", driven: deadline(request, { ...progress, workerMs: progress.workerMs + reply.elapsedMs }) }
    case "lost":
      return { kind: "ended", driven: lost(reply.loss, request, { ...progress, workerMs: progress.workerMs + reply.elapsedMs }) }
    case "tallyDeadline":
      return { kind: "again", progress: withoutTally({ elapsedMs: reply.elapsedMs }, request, progress) }
    case "tallyLost":
      return { kind: "again", progress: withoutTally({ elapsedMs: reply.elapsedMs, loss: reply.loss }, request, progress) }
    case "passed":
      return afterPass(reply, request, progress)
  }
}

const withoutTally = (stoppedTally: StoppedTally, request: PhaseRequest, progress: PhaseProgress): PhaseProgress => ({
  ...progress,
  hasBegun: true,
  tally: undefined,
  stoppedTally,
  // It has ended within its time before.
  wallClockLeftMs: wallClockMs(request)
})

const afterPass = (reply: PassReply & { readonly kind: "passed" }, request: PhaseRequest, progress: PhaseProgress): NextStep => {
  const { elapsedMs, result } = reply
  const used = usedAhead(reply, progress)
  const tape = used.length === 0 ? progress.tape : { ...progress.tape, entries: [...progress.tape.entries, ...used] }
  switch (result.kind) {
    case "done": {
      const tally = reply.tally ?? (result.ending.exitCode === 0 ? progress.stoppedTally : undefined)
      const { signed } = reply
      const rest = { ...(tally === undefined ? {} : { tally }), ...(signed === undefined ? {} : { signed }) }
      return { kind: "ended", driven: { ending: result.ending, tape, storage: progress.storage, ...rest } }
    }
    case "stackOverflow":
      return { kind: "ended", driven: endedBy({ kind: "stackOverflow" }, request, tape) }
    case "needs":
      return {
        kind: "answer",
        call: result.call,
        progress: {
          ...progress,
          tape,
          hasBegun: true,
          wallClockLeftMs: progress.wallClockLeftMs - elapsedMs,
          workerMs: progress.workerMs + elapsedMs,
          gasUsed: result.gasUsed
        }
      }
  }
}
