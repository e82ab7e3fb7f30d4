/** The parameters of an execution, one definition for query, body and WebSocket (interface, "GET /execute"; decisions D4 to D7). */
import { ParseResult, Schema } from "effect"
import type { InputEncoding } from "../domain/programInputs.ts"
import type { ResultEncoding } from "../domain/resultEncoding.ts"

/** A value as text, JSON boolean or JSON number. Declared as text, which is what a query can carry and a client should send. */
const Loose = (jsonSchema: object): Schema.Schema<unknown, string> =>
  Schema.Unknown.annotations({ jsonSchema }) as Schema.Schema<unknown> as Schema.Schema<unknown, string>

const flagWords: Readonly<Record<string, boolean>> = { true: true, "1": true, "": true, false: false, "0": false }

/** A flag: `true`, `1` or present with no value is on; `false`, `0`, absent or null is off; any letter case (decision D4). */
export const Flag = Schema.transformOrFail(
  Loose({ type: ["string", "boolean"], enum: ["true", "false", "1", "0", "", true, false] }),
  Schema.Boolean,
  {
    strict: true,
    decode: (value, _options, ast) => {
      const word = typeof value === "object" ? "?" : String(value).toLowerCase()
      const on = Object.hasOwn(flagWords, word) ? flagWords[word] : undefined
      return on === undefined
        ? ParseResult.fail(new ParseResult.Type(ast, value, "must be true, false, 1 or 0"))
        : ParseResult.succeed(on)
    },
    encode: (on) => ParseResult.succeed(String(on))
  }
)

/** 64 hex characters with or without `0x`, any case; read as lowercase without `0x` (decision D7). */
export const HexId = Schema.transform(
  Schema.String.pipe(Schema.pattern(/^(0[xX])?[0-9a-fA-F]{64}$/)).annotations({
    message: () => "must be 64 hex characters, with or without 0x"
  }),
  Schema.String,
  { strict: true, decode: (text) => text.slice(-64).toLowerCase(), encode: (text) => text }
)

const oneOf = <const Words extends ReadonlyArray<string>>(words: Words): Schema.Schema<Words[number], string> =>
  Schema.String.pipe(
    Schema.filter((word): word is Words[number] => words.includes(word), {
      message: () => `must be one of ${words.join(", ")}`,
      jsonSchema: { enum: words }
    })
  )

/** Seconds, 0 or more, as a number or its digits. */
const AgeSeconds = Schema.transformOrFail(Loose({ type: ["string", "number"] }), Schema.Number, {
  strict: true,
  decode: (value, _options, ast) => {
    const digits = typeof value === "object" ? "" : String(value)
    const seconds = /^[0-9]+(\.[0-9]+)?(e\+?[0-9]+)?$/.test(digits) ? Number(digits) : Number.NaN
    return Number.isFinite(seconds)
      ? ParseResult.succeed(seconds)
      : ParseResult.fail(new ParseResult.Type(ast, value, "must be a number of seconds, 0 or more"))
  },
  encode: (seconds) => ParseResult.succeed(String(seconds))
})

const inputEncodings: ReadonlyArray<InputEncoding> = ["auto", "hex", "utf8", "base64"]
const resultEncodings: ReadonlyArray<ResultEncoding> = ["hex", "base64", "utf8", "json"]

/** Which earlier result a program is shown. */
export const injectLastResultModes = ["success", "last", "none"] as const

/** Everything but the two inputs, whose form differs between query and body. */
export const executeOptionFields = {
  execProgramId: HexId,
  tallyProgramId: Schema.optional(HexId),
  inputEncoding: Schema.optional(oneOf(inputEncodings)),
  returnLastResult: Schema.optional(Flag),
  returnLastResultMaxAge: Schema.optional(AgeSeconds),
  injectLastResult: Schema.optional(oneOf(injectLastResultModes)),
  includeSummary: Schema.optional(Flag),
  includeDebugInfo: Schema.optional(Flag),
  encoding: Schema.optional(oneOf(resultEncodings))
}

/** The parameters except the inputs, decoded from query, body or WebSocket params. */
export const ExecuteOptions = Schema.Struct(executeOptionFields)
/** The parameters except the inputs. */
export type ExecuteOptions = typeof ExecuteOptions.Type

const inputText = Schema.optional(Schema.String.annotations({ description: "the input in the form that inputEncoding says" }))
const inputValue = Schema.optional(
  Schema.Unknown.annotations({ description: "text in the form that inputEncoding says, or a JSON object or list, whose compact JSON is the input" })
)

const { execProgramId, ...optionFields } = executeOptionFields

/** The query of `GET /execute`. */
export const ExecuteQuery = Schema.Struct({ execProgramId, execInputs: inputText, tallyInputs: inputText, ...optionFields })

/** The query of `POST /execute`: any parameter may stand here or in the body. */
export const ExecutePostQuery = Schema.Struct({
  execProgramId: Schema.optional(execProgramId),
  execInputs: inputText,
  tallyInputs: inputText,
  ...optionFields
})

/** The body of `POST /execute`. */
export const ExecuteBody = Schema.Struct({
  execProgramId: Schema.optional(execProgramId),
  execInputs: inputValue,
  tallyInputs: inputValue,
  ...optionFields
})
