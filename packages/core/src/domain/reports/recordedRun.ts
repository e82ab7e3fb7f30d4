/** What a run depended on beside its data request and its programs, kept with its report so that it can be run again. */
import { Schema } from "effect"
import type { Limits } from "../settings/limits.ts"

/** The limits that a pass enforces itself: they are part of what a program computes. The rest only decides what the tapes hold. */
const passLimitNames = [
  "execWallClockMs",
  "tallyWallClockMs",
  "httpActionBytes",
  "storageActionBytes",
  "hostCalls",
  "hostCallBytes",
  "memoryPages",
  "stdoutBytes",
  "stderrBytes",
  "resultBytes"
] as const satisfies ReadonlyArray<keyof Limits>

type PassLimitName = (typeof passLimitNames)[number]

const passLimits = Object.fromEntries(passLimitNames.map((name) => [name, Schema.Int])) as Record<PassLimitName, typeof Schema.Int>

/** The last result that the program was given. */
const GivenResult = Schema.Struct({ result: Schema.Uint8ArrayFromBase64, exitCode: Schema.Int, blockTimestamp: Schema.BigInt })

/** Everything that decided the run. */
export const RunSource = Schema.Struct({
  chainId: Schema.String,
  /** The height of the chain that each phase was told. */
  execHeight: Schema.BigInt,
  tallyHeight: Schema.BigInt,
  /** `null`: none was asked for, or there was none. */
  lastResult: Schema.NullOr(GivenResult),
  limits: Schema.Struct(passLimits),
  /** The tapes of the execution phase as the runtime writes them, JSON; one for each executor. */
  execTapes: Schema.Array(Schema.String),
  /** That of the tally phase; `null` if it did not run. */
  tallyTape: Schema.NullOr(Schema.String)
})
/** Everything that decided the run. */
export type RunSource = typeof RunSource.Type

/** What is kept of a run that was recorded. */
export const RecordedRun = Schema.Struct({
  /** The size of the tapes' texts. */
  bytes: Schema.Int,
  /** `null` if it was too large to be kept. */
  source: Schema.NullOr(RunSource)
})
/** What is kept of a run that was recorded. */
export type RecordedRun = typeof RecordedRun.Type

/**
 * What a phase was answered from outside, as JSON in ASCII that the runtime alone reads: request and tape determine the outcome. Of one that has
 * more than `limits.recordingBytes`, how many there are at least.
 */
export type RecordedTape = string | { readonly bytes: number }

/** A source whose tapes may be too large. */
export interface GivenSource extends Omit<RunSource, "execTapes" | "tallyTape"> {
  readonly execTapes: ReadonlyArray<RecordedTape>
  readonly tallyTape: RecordedTape | null
}

const isText = (tape: RecordedTape): tape is string => typeof tape === "string"

/** The recorded run, without its source if its tapes have more bytes than allowed. */
export const recordedRunOf = ({ execTapes, tallyTape, ...rest }: GivenSource, maxBytes: number): RecordedRun => {
  const tapes = [...execTapes, tallyTape ?? ""]
  const bytes = tapes.reduce((sum, tape) => sum + (isText(tape) ? tape.length : tape.bytes), 0)
  const texts = execTapes.filter(isText)
  if (bytes > maxBytes || texts.length < execTapes.length || (tallyTape !== null && !isText(tallyTape))) return { bytes, source: null }
  return { bytes, source: { ...rest, execTapes: texts, tallyTape } }
}

/** The limits of a run that its recording keeps. */
export const passLimitsOf = (limits: Limits): RunSource["limits"] =>
  Object.fromEntries(passLimitNames.map((name) => [name, limits[name]])) as RunSource["limits"]
