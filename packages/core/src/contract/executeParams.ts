/** The parameters of an execution, defined once for query, body and WebSocket (decisions D4 to D7). */
import { ParseResult, Schema } from "effect"
import type { InputEncoding } from "../domain/encoding/programInputs.ts"
import type { ResultEncoding } from "../domain/encoding/resultEncoding.ts"
import { hexIdForm, plainHexId } from "./hexId.ts"
import { plainReference, programReferenceForm, programReferenceRule } from "./programName.ts"

const inputEncodings = ["auto", "hex", "utf8", "base64"] as const satisfies ReadonlyArray<InputEncoding>
const resultEncodings = ["hex", "base64", "utf8", "json"] as const satisfies ReadonlyArray<ResultEncoding>
const injectModes = ["success", "last", "none"] as const

/** Which last result is requested (decision D14). */
export const lastResultModes = ["success", "last"] as const

/** The rule for a mode, as told to clients. */
export const modeRule = `must be one of ${lastResultModes.join(", ")}`

/** The rule for a flag, as told to clients. */
export const flagRule = "must be true, false, 1 or 0"

/** The rule for each parameter, as told to clients. */
export const parameterRules = {
  execProgramId: programReferenceRule,
  tallyProgramId: programReferenceRule,
  inputEncoding: `must be one of ${inputEncodings.join(", ")}`,
  returnLastResult: flagRule,
  returnLastResultMaxAge: "must be a number of seconds, 0 or more",
  injectLastResult: `must be one of ${injectModes.join(", ")}`,
  includeSummary: flagRule,
  includeDebugInfo: flagRule,
  noPrefetch: flagRule,
  includeRecording: flagRule,
  dryRun: flagRule,
  encoding: `must be one of ${resultEncodings.join(", ")}`
} as const

/** The purpose of each parameter, for the documentation. */
const parameterMeanings = {
  execProgramId: "The program of the execution phase, by its id or a name that the operator gave it",
  tallyProgramId: "The program of the tally phase; defaults to execProgramId",
  inputEncoding: "How the texts execInputs and tallyInputs stand for bytes; defaults to auto: hex after 0x, else UTF-8 text",
  returnLastResult:
    "Return the last successful result of this request, without running or charging anything; if there is none, the program runs",
  returnLastResultMaxAge: "The maximum age of that result, in seconds; if it is older, the program runs instead",
  injectLastResult: "Which previous result the program is given as its last one; by default none",
  includeSummary: "Add the cost of the run, the remaining credits, gas by phase and data-proxy fees",
  includeDebugInfo: "Add both phases with their stdout and stderr",
  noPrefetch:
    "Send each HTTP request only when the program asks for it, instead of prefetching those of the previous run with the same inputs",
  includeRecording:
    "Keep what the run depends on with its report, so that GET /executions/{id}/recording gives a file with which anybody can run it again",
  dryRun: "Run nothing: check everything and return what a run would cost",
  encoding: "How the result is shown; defaults to hex, json embeds the result's own JSON. The signed data does not change"
} as const satisfies Record<keyof typeof parameterRules, string>

/** A value as text, JSON boolean or JSON number. Declared as text, which is what a query carries and a client should send. */
const Loose = (jsonSchema: object): Schema.Schema<unknown, string> =>
  Schema.Unknown.annotations({ jsonSchema }) as Schema.Schema<unknown> as Schema.Schema<unknown, string>

/** The text of a scalar; for anything else a text that no rule accepts. */
const scalarText = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "?"

const flagWords: Readonly<Record<string, boolean>> = { true: true, "1": true, "": true, false: false, "0": false }

/** A flag: `true`, `1` or present without a value is on; `false`, `0`, absent or null is off; any letter case (decision D4). */
export const Flag = Schema.transformOrFail(
  Loose({ type: ["string", "boolean"], enum: ["true", "false", "1", "0", "", true, false] }),
  Schema.Boolean,
  {
    strict: true,
    decode: (value, _options, ast) => {
      const word = scalarText(value).toLowerCase()
      const on = Object.hasOwn(flagWords, word) ? flagWords[word] : undefined
      return on === undefined ? ParseResult.fail(new ParseResult.Type(ast, value)) : ParseResult.succeed(on)
    },
    encode: (on) => ParseResult.succeed(String(on))
  }
)

/** 64 hex characters with or without `0x`, any case; decoded to lowercase without `0x` (decision D7). */
export const HexId = Schema.transform(Schema.String.pipe(Schema.pattern(hexIdForm)), Schema.String, {
  strict: true,
  decode: plainHexId,
  encode: (text) => text
})

/** A program by its id, decoded as {@link HexId} is, or by a name that is resolved later. */
const ProgramReference = Schema.transform(Schema.String.pipe(Schema.pattern(programReferenceForm)), Schema.String, {
  strict: true,
  decode: plainReference,
  encode: (text) => text
})

/** Seconds, 0 or more, as a number or its digits. */
const AgeSeconds = Schema.transformOrFail(Loose({ type: ["string", "number"] }), Schema.Number, {
  strict: true,
  decode: (value, _options, ast) => {
    const digits = scalarText(value)
    const seconds = /^[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?$/.test(digits) ? Number(digits) : Number.NaN
    return Number.isFinite(seconds) ? ParseResult.succeed(seconds) : ParseResult.fail(new ParseResult.Type(ast, value))
  },
  encode: (seconds) => ParseResult.succeed(String(seconds))
})

const descriptionOf = (name: keyof typeof parameterRules): string => `${parameterMeanings[name]}; ${parameterRules[name]}`

const described = <A, I>(name: keyof typeof parameterRules, schema: Schema.Schema<A, I>) =>
  Schema.optional(schema.annotations({ description: descriptionOf(name) }))

/** All parameters except the two inputs, whose form differs between query and body. */
const optionFields = {
  tallyProgramId: described("tallyProgramId", ProgramReference),
  inputEncoding: described("inputEncoding", Schema.Literal(...inputEncodings)),
  returnLastResult: described("returnLastResult", Flag),
  returnLastResultMaxAge: described("returnLastResultMaxAge", AgeSeconds),
  injectLastResult: described("injectLastResult", Schema.Literal(...injectModes)),
  includeSummary: described("includeSummary", Flag),
  includeDebugInfo: described("includeDebugInfo", Flag),
  noPrefetch: described("noPrefetch", Flag),
  includeRecording: described("includeRecording", Flag),
  dryRun: described("dryRun", Flag),
  encoding: described("encoding", Schema.Literal(...resultEncodings))
}

/** The parameters except the inputs, decoded from one place: query, body or WebSocket params. */
export const ExecuteOptions = Schema.Struct({ execProgramId: described("execProgramId", ProgramReference), ...optionFields })
/** The parameters except the inputs. */
export type ExecuteOptions = typeof ExecuteOptions.Type

const inputMeanings = {
  execInputs: "The input of the execution phase; empty by default",
  tallyInputs: "The input of the tally phase; empty by default"
}

const inputText = (name: keyof typeof inputMeanings) =>
  Schema.optional(Schema.String.annotations({ description: `${inputMeanings[name]}. Text in the form that inputEncoding says` }))
/** Its types are named one by one, because generators take a schema without any for an object. */
const inputValue = (name: keyof typeof inputMeanings) => {
  const description = `${inputMeanings[name]}. Text in the form that inputEncoding says, or a JSON object or list, whose compact JSON is the input`
  const jsonSchema = { type: ["string", "object", "array"], additionalProperties: true, items: {}, description }
  return Schema.optional(Schema.Unknown.annotations({ description, jsonSchema }))
}

/** The query of `GET /execute`. */
export const ExecuteQuery = Schema.Struct({
  execProgramId: ProgramReference.annotations({ description: descriptionOf("execProgramId") }),
  execInputs: inputText("execInputs"),
  tallyInputs: inputText("tallyInputs"),
  ...optionFields
})

/** The query of `POST /execute`: any parameter may be here or in the body. */
export const ExecutePostQuery = Schema.Struct({
  ...ExecuteOptions.fields,
  execInputs: inputText("execInputs"),
  tallyInputs: inputText("tallyInputs")
})

/** The body of `POST /execute`, documented with the program; a service also accepts the program in the query. */
export const ExecuteBody = Schema.Struct({
  execProgramId: ExecuteQuery.fields.execProgramId,
  execInputs: inputValue("execInputs"),
  tallyInputs: inputValue("tallyInputs"),
  ...optionFields
})

const mode = Schema.optional(
  Schema.Literal(...lastResultModes).annotations({ description: `Whether a stored failure counts; defaults to last; ${modeRule}` })
)

/** The query of `GET /execute/last-result`. */
export const LastResultQuery = Schema.Struct({ ...ExecuteQuery.fields, mode })

/** The query of `POST /execute/last-result`. */
export const LastResultPostQuery = Schema.Struct({ ...ExecutePostQuery.fields, mode })

/** The body of `POST /execute/last-result`. */
export const LastResultBody = Schema.Struct({ ...ExecuteBody.fields, mode })
