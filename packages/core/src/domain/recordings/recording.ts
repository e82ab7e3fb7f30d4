/** A recording: a run with everything that it depended on, as a file with which anybody can run it again (docs/RECORDINGS.md). */
import { Either, ParseResult, Schema } from "effect"
import { recordingFormat, recordingVersion, unsignedRecordingVersion } from "../../contract/recordingFormat.ts"
import { fromHex, fromUtf8, toHex } from "../encoding/bytes.ts"
import { programIdOf } from "../programs/programId.ts"
import { DataRequest } from "../protocol/dataRequest.ts"
import { DataResult } from "../protocol/dataResult.ts"
import { dataResultIdOf } from "../protocol/dataResultId.ts"
import { recoverSigner } from "../protocol/resultSignature.ts"
import type { ExecutionReport, PhaseReport } from "../reports/executionReport.ts"
import { RunSource } from "../reports/recordedRun.ts"
import { attestedDigest, isAttested, RecordingAttestation } from "./attestation.ts"
import { keccak256 } from "../encoding/keccak256.ts"

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
export interface Recording extends Schema.Schema.Type<typeof Parts> {
  /** Absent if nobody has signed it. */
  readonly attestation?: RecordingAttestation
}

const partNames = Object.keys(Parts.fields)

/** A text that is no recording, or one that was changed. `part` is the path of what is wrong. */
export interface UnreadableRecording {
  readonly part: string
  readonly message: string
}

const digestOf = (part: unknown): string => toHex(keccak256(fromUtf8(JSON.stringify(part))))

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

/** A recording on its way into a file. */
export interface RecordingDraft {
  /** What is to be signed at this time. */
  readonly digestAt: (signedAtMs: number) => Uint8Array
  /** The file's text: compact JSON. */
  readonly text: (attestation: RecordingAttestation | undefined) => string
}

/** The draft of a recording: its parts are written, and have their digests. */
export const recordingDraftOf = (recording: Recording): RecordingDraft => {
  const parts: Readonly<Record<string, unknown>> = encodeParts(recording)
  const digests = Object.fromEntries(partNames.map((name) => [name, digestOf(parts[name])]))
  return {
    digestAt: (signedAtMs) => attestedDigest(JSON.stringify(digests), signedAtMs),
    text: (attestation) =>
      attestation === undefined
        ? JSON.stringify({ format: recordingFormat, version: unsignedRecordingVersion, ...parts, digests })
        : JSON.stringify({ format: recordingFormat, version: recordingVersion, ...parts, digests, attestation })
  }
}

/** The file's text, with the signature that the recording has, if it has one. */
export const writeRecording = (recording: Recording): string => recordingDraftOf(recording).text(recording.attestation)

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

const decoded = <A, I>(schema: Schema.Schema<A, I>, value: unknown, under: string): Either.Either<A, UnreadableRecording> =>
  Either.mapLeft(Schema.decodeUnknownEither(schema, { onExcessProperty: "error" })(value), (error) => {
    const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
    const path = [...(under === "" ? [] : [under]), ...(issue?.path ?? [])].join(".")
    return { part: path === "" ? "file" : path, message: issue?.message ?? "is malformed" }
  })

/** The attestation of a file of this version, which has signed its digests; `undefined` if the version has none. */
const attestationIn = (
  version: unknown,
  attestation: unknown,
  digests: unknown
): Either.Either<RecordingAttestation | undefined, UnreadableRecording> => {
  if (version === unsignedRecordingVersion) {
    return attestation === undefined ? Either.right(undefined) : unreadable("attestation", "is no part of a recording of version 1")
  }
  if (attestation === undefined) return unreadable("attestation", "is missing")
  return Either.filterOrLeft(
    decoded(RecordingAttestation, attestation, "attestation"),
    (read) => isAttested(read, JSON.stringify(digests)),
    (): UnreadableRecording => ({ part: "attestation", message: "is not the signature of the key that it names" })
  )
}

/** Reads a file, and names the part that was changed if one was. */
export const readRecording = (text: string): Either.Either<Recording, UnreadableRecording> =>
  Either.gen(function* () {
    const value = yield* parsed(text)
    const { attestation, digests, format, version, ...parts } = value
    if (format !== recordingFormat) return yield* unreadable("format", `must be ${recordingFormat}`)
    if (version !== recordingVersion && version !== unsignedRecordingVersion) {
      return yield* unreadable(
        "version",
        `must be ${unsignedRecordingVersion} or ${recordingVersion}, which are all that this version reads`
      )
    }
    const changed = changedPart(parts, digests)
    if (changed !== undefined) return yield* Either.left(changed)
    if (!isAsWritten(value, text)) {
      return yield* unreadable("file", "is not written as the service writes it: compact JSON, its members in their order")
    }
    const signed = yield* attestationIn(version, attestation, digests)
    const recording = yield* decoded(Parts, parts, "")
    return yield* withItsPrograms({ ...recording, ...(signed === undefined ? {} : { attestation: signed }) })
  })
