/** A recording: a run with everything that it depended on, as a file with which anybody can run it again (docs/RECORDINGS.md). */
import { keccak_256 } from "@noble/hashes/sha3.js"
import { Either, ParseResult, Schema } from "effect"
import { recordingFormat, recordingVersion } from "../../contract/recordingFormat.ts"
import { fromHex, fromUtf8, toHex } from "../encoding/bytes.ts"
import { programIdOf } from "../programs/programId.ts"
import { DataRequest } from "../protocol/dataRequest.ts"
import { DataResult } from "../protocol/dataResult.ts"
import { dataResultIdOf } from "../protocol/dataResultId.ts"
import { recoverSigner } from "../protocol/resultSignature.ts"
import type { ExecutionReport, PhaseReport } from "../reports/executionReport.ts"
import { RunSource } from "../reports/recordedRun.ts"

/** How a phase ended, in what a replay compares. */
const RecordedPhase = Schema.Struct({
  exitCode: Schema.Int,
  gasUsed: Schema.BigInt,
  result: Schema.Uint8ArrayFromBase64,
  stdout: Schema.String,
  stderr: Schema.String
})
/** How a phase ended, in what a replay compares. */
export type RecordedPhase = typeof RecordedPhase.Type

const { execTapes: _execTapes, tallyTape: _tallyTape, ...sourceFields } = RunSource.fields

/** Tapes stand in the file as JSON values; a runtime reads their texts. */
const TapeValue = Schema.transform(Schema.Unknown, Schema.String, {
  strict: true,
  decode: (value) => JSON.stringify(value),
  encode: (text) => JSON.parse(text) as unknown
})

/** The parts of a recording: each has a digest of its own, so that what was changed can be named. */
const Parts = Schema.Struct({
  run: Schema.Struct({
    id: Schema.String,
    executedAtMs: Schema.Int,
    /** Version of the server. */
    server: Schema.String,
    /** The key that signed, SEC1 compressed, 66 lowercase hex characters. */
    signer: Schema.String
  }),
  dataRequest: DataRequest,
  dataResult: DataResult,
  /** 65 bytes r‖s‖v as 130 lowercase hex characters. */
  signature: Schema.String,
  execute: RecordedPhase,
  tally: Schema.NullOr(RecordedPhase),
  source: Schema.Struct(sourceFields),
  execTapes: Schema.NonEmptyArray(TapeValue),
  tallyTape: Schema.NullOr(TapeValue),
  /** The bytes of the programs by id. */
  programs: Schema.Record({ key: Schema.String, value: Schema.Uint8ArrayFromBase64 })
})
/** A run with everything that it depended on. */
export type Recording = typeof Parts.Type

const partNames = Object.keys(Parts.fields)

/** A text that is no recording, or one that was changed. `part` is the path of what is wrong. */
export interface UnreadableRecording {
  readonly part: string
  readonly message: string
}

const digestOf = (part: unknown): string => toHex(keccak_256(fromUtf8(JSON.stringify(part))))

const phaseOf = ({ exitCode, gasUsed, result, stderr, stdout }: PhaseReport): RecordedPhase => ({
  exitCode,
  gasUsed,
  result,
  stdout,
  stderr
})

/** The recording of a report whose source was kept; `undefined` if none was. */
export const recordingOf = (report: ExecutionReport, programs: Recording["programs"], server: string): Recording | undefined => {
  const source = report.recorded?.source
  if (source === undefined || source === null) return undefined
  const { execTapes, tallyTape, ...rest } = source
  const [first, ...others] = execTapes
  if (first === undefined) return undefined
  const { dataRequest, dataResult, executedAtMs, id, signature } = report
  const signer = recoverSigner(dataResultIdOf(dataResult), fromHex(signature) ?? new Uint8Array()) ?? ""
  return {
    run: { id, executedAtMs, server, signer },
    dataRequest,
    dataResult,
    signature,
    execute: phaseOf(report.execute),
    tally: report.tally === null ? null : phaseOf(report.tally),
    source: rest,
    execTapes: [first, ...others],
    tallyTape,
    programs
  }
}

const encodeParts = Schema.encodeSync(Parts)
const decodeParts = Schema.decodeUnknownEither(Parts, { onExcessProperty: "error" })

/** The file's text: compact JSON. */
export const writeRecording = (recording: Recording): string => {
  const parts: Readonly<Record<string, unknown>> = encodeParts(recording)
  const digests = Object.fromEntries(partNames.map((name) => [name, digestOf(parts[name])]))
  return JSON.stringify({ format: recordingFormat, version: recordingVersion, ...parts, digests })
}

const unreadable = (part: string, message: string) => Either.left<UnreadableRecording>({ part, message })

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Numbers can be written in several ways, and what is written in another way is not what the service has given. */
const isAsWritten = (value: unknown, text: string): boolean => JSON.stringify(value) === text.trimEnd()

const parsed = (text: string): Either.Either<Readonly<Record<string, unknown>>, UnreadableRecording> => {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? Either.right(value) : unreadable("file", "is not a JSON object")
  } catch (fault) {
    return unreadable("file", `is not JSON: ${fault instanceof Error ? fault.message : String(fault)}`)
  }
}

/** Where a part is not what its digest says, or there are other parts than there should be. */
const changedPart = (parts: Readonly<Record<string, unknown>>, digests: unknown): UnreadableRecording | undefined => {
  if (!isObject(digests)) return { part: "digests", message: "are missing" }
  for (const name of new Set([...partNames, ...Object.keys(parts), ...Object.keys(digests)])) {
    if (!partNames.includes(name)) return { part: name, message: "is no part of a recording" }
    if (!Object.hasOwn(parts, name)) return { part: name, message: "is missing" }
    if (digests[name] !== digestOf(parts[name])) return { part: name, message: "was changed: it does not have its digest" }
  }
  return undefined
}

/** Both programs must be there, and have their ids: the request names them by the hash of their bytes. */
const withItsPrograms = (recording: Recording): Either.Either<Recording, UnreadableRecording> => {
  const { dataRequest, programs } = recording
  for (const id of [dataRequest.execProgramId, dataRequest.tallyProgramId]) {
    const bytes = programs[id]
    if (bytes === undefined) return unreadable("programs", `do not have ${id}`)
    if (programIdOf(bytes) !== id) return unreadable("programs", `have other bytes under ${id}`)
  }
  return Either.right(recording)
}

/** Reads a file, and names the part that was changed if one was. */
export const readRecording = (text: string): Either.Either<Recording, UnreadableRecording> =>
  Either.flatMap(parsed(text), (value) => {
    const { digests, format, version, ...parts } = value
    if (format !== recordingFormat) return unreadable("format", `must be ${recordingFormat}`)
    if (version !== recordingVersion) return unreadable("version", `must be ${recordingVersion}, which is all that this version reads`)
    const changed = changedPart(parts, digests)
    if (changed !== undefined) return Either.left(changed)
    if (!isAsWritten(value, text))
      return unreadable("file", "is not written as the service writes it: compact JSON, its members in their order")
    const decoded = Either.mapLeft(decodeParts(parts), (error): UnreadableRecording => {
      const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
      return { part: issue?.path.join(".") ?? "file", message: issue?.message ?? "is malformed" }
    })
    return Either.flatMap(decoded, withItsPrograms)
  })
