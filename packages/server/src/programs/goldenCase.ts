/** Golden cases: inputs, recorded upstream answers and the expected outcome, each in one JSON file. */
import type { AnswerRequest, ProgramAnswer, ProgramCall, ProgramOutcome, ProgramRun } from "@sibyl/devkit"
import { fromBase64, toBase64, toUtf8 } from "@sibyl/core/internal"
import { Either, ParseResult, Predicate, Schema } from "effect"
import { resultBytes, resultText } from "./shownResult.ts"

const Whole = Schema.Int.pipe(Schema.between(0, 4_294_967_295))
const Digits = Schema.String.pipe(Schema.pattern(/^[0-9]+$/))
const Result = Schema.String.pipe(Schema.filter((text) => resultBytes(text) !== undefined, { message: () => "text, or hex behind 0x" }))
const Pattern = Schema.String.pipe(Schema.filter((text) => isPattern(text), { message: () => "a regular expression" }))
const Moment = Schema.String.pipe(
  Schema.filter((text) => /^\d{4}-\d\d-\d\dT.+Z$/.test(text) && !Number.isNaN(Date.parse(text)), {
    message: () => "a UTC time such as 2026-01-05T12:00:00Z"
  })
)

const isPattern = (text: string): boolean => {
  try {
    return new RegExp(text, "u") instanceof RegExp
  } catch {
    return false
  }
}

const Recorded = Schema.Struct({
  status: Schema.optional(Schema.Int.pipe(Schema.between(100, 599))),
  headers: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.String })),
  /** Text, or an object or a list that is sent as compact JSON. */
  body: Schema.optional(
    Schema.Union(Schema.String, Schema.Array(Schema.Unknown), Schema.Record({ key: Schema.String, value: Schema.Unknown }))
  ),
  bodyBase64: Schema.optional(Schema.String.pipe(Schema.filter((text) => fromBase64(text) !== undefined))),
  /** Why there was no answer. */
  failure: Schema.optional(Schema.String)
})

/** The expected outcome. */
const Expected = Schema.Struct({
  exitCode: Whole,
  /** Text, or hex behind `0x`. */
  result: Result,
  /** A regular expression for the stderr of both phases together. */
  stderr: Schema.optional(Pattern),
  /** The gas of each phase when the expectation was written; a change is reported but is not a failure. */
  gas: Schema.optional(Schema.Struct({ exec: Digits, tally: Schema.NullOr(Digits) }))
})

/** One golden case. */
export const GoldenCase = Schema.Struct({
  execInputs: Schema.optional(Schema.Unknown),
  tallyInputs: Schema.optional(Schema.Unknown),
  inputEncoding: Schema.optional(Schema.Literal("auto", "hex", "utf8", "base64")),
  /** The time that the program's clock shows; default {@link usualTime}. */
  time: Schema.optional(Moment),
  lastResult: Schema.optional(Schema.Struct({ result: Result, exitCode: Schema.optional(Whole) })),
  gasLimits: Schema.optional(Schema.Struct({ exec: Schema.optional(Digits), tally: Schema.optional(Digits) })),
  /** By URL, or by method and URL with a space between; any other request fails. */
  upstream: Schema.optional(Schema.Record({ key: Schema.String, value: Recorded })),
  expect: Schema.optional(Expected)
})
/** One golden case. */
export type GoldenCase = typeof GoldenCase.Type

/** The expected outcome of a case. */
export type Expectation = NonNullable<GoldenCase["expect"]>

/** The default time of a case, fixed so that a case gives the same outcome every day. */
export const usualTime = "2026-01-01T00:00:00Z"

/** Reads a case from its document; the left side is the problem in one line. */
export const readGoldenCase = (json: unknown): Either.Either<GoldenCase, string> => {
  if (!Predicate.isRecord(json)) return Either.left("a case must be a JSON object")
  return Either.mapLeft(Schema.decodeUnknownEither(GoldenCase, { onExcessProperty: "error" })(json), (error) => {
    const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
    const path = issue?.path.map(String).join(".") ?? ""
    return `${path === "" ? "the case" : path}: ${issue?.message ?? "is not a case"}`
  })
}

/** Reads a case whose expectation is about to be replaced, so that it may be anything. */
export const readUpdatedCase = (json: unknown): Either.Either<GoldenCase, string> => {
  const read = readGoldenCase(json)
  if (Either.isRight(read) || !Predicate.isRecord(json)) return read
  const { expect: _, ...rest } = json
  return readGoldenCase(rest)
}

const answerOf = ({ body, bodyBase64, failure, headers, status }: typeof Recorded.Type): ProgramAnswer =>
  failure === undefined
    ? {
        ...(status === undefined ? {} : { status }),
        ...(headers === undefined ? {} : { headers }),
        body: bodyBase64 === undefined ? (body ?? "") : (fromBase64(bodyBase64) ?? "")
      }
    : { failure }

/** Answers requests from the recording. */
export const recordedAnswers =
  ({ upstream = {} }: GoldenCase): AnswerRequest =>
  ({ method, url }) => {
    const recorded = upstream[`${method} ${url}`] ?? upstream[url]
    return recorded === undefined ? undefined : answerOf(recorded)
  }

/** The request that a case makes. */
export const runOfCase = (one: GoldenCase, program: Uint8Array, tallyProgram: Uint8Array | undefined): ProgramRun => {
  const { exec, tally } = one.gasLimits ?? {}
  const last = one.lastResult
  return {
    program,
    tallyProgram,
    execInputs: one.execInputs,
    tallyInputs: one.tallyInputs,
    inputEncoding: one.inputEncoding,
    gasLimits: {
      ...(exec === undefined ? {} : { exec: BigInt(exec) }),
      ...(tally === undefined ? {} : { tally: BigInt(tally) })
    },
    lastResult: last === undefined ? undefined : { result: resultBytes(last.result) ?? new Uint8Array(), exitCode: last.exitCode ?? 0 },
    clockMs: Date.parse(one.time ?? usualTime),
    http: recordedAnswers(one)
  }
}

const joinedHeaders = (headers: ProgramCall["responseHeaders"]): Readonly<Record<string, string>> => {
  const joined = new Map<string, string>()
  for (const [name, value] of headers) {
    const before = joined.get(name)
    joined.set(name, before === undefined ? value : `${before}, ${value}`)
  }
  return Object.fromEntries(joined)
}

const recordingOf = (call: ProgramCall): typeof Recorded.Type => {
  if (call.failure !== null) return { failure: call.failure }
  const text = toUtf8(call.response)
  const body = text === undefined ? { bodyBase64: toBase64(call.response) } : { body: text }
  return { status: call.status, headers: joinedHeaders(call.responseHeaders), ...body }
}

/** Both phases' stderr, one after the other. */
export const stderrOf = ({ exec, tally }: ProgramOutcome): string => exec.stderr + (tally?.stderr ?? "")

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)

/** An outcome as an expectation. A stderr pattern that still matches is kept. */
export const expectationOf = (outcome: ProgramOutcome, before: Expectation | undefined): Expectation => {
  const stderr = stderrOf(outcome)
  const kept = before?.stderr !== undefined && new RegExp(before.stderr, "u").test(stderr) ? before.stderr : undefined
  return {
    exitCode: outcome.exitCode,
    result: resultText(outcome.result),
    stderr: kept ?? `^${escaped(stderr)}$`,
    gas: { exec: String(outcome.exec.gasUsed), tally: outcome.tally === null ? null : String(outcome.tally.gasUsed) }
  }
}

/** A run as a case, including the answers of its upstreams. */
export const recordedCase = (run: ProgramRun, outcome: ProgramOutcome, timeMs: number): GoldenCase => {
  const { execInputs, inputEncoding, lastResult, tallyInputs } = run
  return {
    ...(execInputs === undefined ? {} : { execInputs }),
    ...(tallyInputs === undefined ? {} : { tallyInputs }),
    ...(inputEncoding === undefined ? {} : { inputEncoding: inputEncoding as GoldenCase["inputEncoding"] }),
    time: new Date(timeMs).toISOString(),
    ...(lastResult === undefined ? {} : { lastResult: { result: resultText(lastResult.result) } }),
    upstream: Object.fromEntries(outcome.calls.map((call) => [`${call.method} ${call.url}`, recordingOf(call)])),
    expect: expectationOf(outcome, undefined)
  }
}
