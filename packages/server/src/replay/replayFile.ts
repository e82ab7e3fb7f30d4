/** Runs a recording again, offline, and compares. */
import {
  type ComparedValue,
  comparisonOf,
  defaultLimits,
  execPhasesOf,
  type PhaseToReplay,
  readRecording,
  type Recording,
  type ReplayedPhase,
  tallyPhaseOf
} from "@sibyl/core"
import { Replayer } from "@sibyl/vm"
import { Effect } from "effect"
import { readFileWithin } from "../output/readWithin.ts"
import { CommandFailed } from "../output/failure.ts"
import { notRead } from "../output/fileReason.ts"

/** A recording beside its replay. */
export interface ReplayReport {
  readonly recording: Recording
  readonly values: ReadonlyArray<ComparedValue>
  /** A phase that did not do what its tape says, so that there is nothing to compare. */
  readonly diverged: { readonly phase: string; readonly message: string } | undefined
}

const failed = (message: string) => new CommandFailed({ message })

const textOf = (file: string): Effect.Effect<string, CommandFailed> =>
  Effect.tryPromise({
    try: async () => (await readFileWithin(file === "-" ? "/dev/stdin" : file)).toString("utf8"),
    catch: (fault) => failed(notRead(file, fault))
  })

const recordingIn = (file: string): Effect.Effect<Recording, CommandFailed> =>
  Effect.flatMap(textOf(file), (text) =>
    Effect.mapError(readRecording(text), ({ message, part }) =>
      failed(`${file === "-" ? "the standard input" : file} is no recording, or was changed: ${part} ${message}`)
    )
  )

const replayed = ({ limits, tape, ...phase }: PhaseToReplay) =>
  Effect.flatMap(Replayer, (replayer) =>
    Effect.mapError(replayer.replay({ ...phase, projectId: "replay", limits: { ...defaultLimits, ...limits } }, tape), ({ message }) => ({
      phase: phase.phase === "exec" ? "execution" : "tally",
      message
    }))
  )

/** The tally after these phases, as it ended; from the recording it follows whether there is one. */
const talliedAfter = (recording: Recording, execs: ReadonlyArray<ReplayedPhase>) =>
  Effect.gen(function* () {
    const tally = tallyPhaseOf(recording, execs)
    return tally !== undefined && "run" in tally ? { consensus: tally.consensus, phase: yield* replayed(tally.run) } : tally
  })

/** Runs both phases of a recording again. */
export const replayOf = (recording: Recording): Effect.Effect<ReplayReport, never, Replayer> =>
  Effect.gen(function* () {
    const execs = yield* Effect.forEach(execPhasesOf(recording), replayed)
    const tally = yield* talliedAfter(recording, execs)
    return { recording, values: comparisonOf(recording, execs, tally), diverged: undefined }
  }).pipe(Effect.catchAll((diverged) => Effect.succeed({ recording, values: [], diverged })))

/** Whether everything came out as it was recorded. */
export const isFaithful = ({ diverged, values }: ReplayReport): boolean => diverged === undefined && values.every(({ isSame }) => isSame)

/** Reads a recording from a file, `-` for the standard input, and runs it again. */
export const replayFile = (file: string): Effect.Effect<ReplayReport, CommandFailed> =>
  Effect.flatMap(recordingIn(file), (recording) => Effect.provide(replayOf(recording), Replayer.layer({ workers: 1 })))
