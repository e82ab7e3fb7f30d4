/** The kinds of values that settings have: how each is read from JSON and from text, and its rule in words. */
import { isOrigin } from "@sibyl/core/internal"
import { postgresAddressFault } from "@sibyl/sql"
import { Either, Option, ParseResult, Redacted, Schema } from "effect"
import { durationMs } from "../input/duration.ts"
import { readOtlpHeaders } from "./otlpHeaders.ts"

/** A kind of value. */
export interface SettingKind<A> {
  /** What a value must be; completes "must be". */
  readonly rule: string
  /** Reads a value as it stands in a JSON document. */
  readonly decode: (json: unknown) => Either.Either<A, unknown>
  /** The JSON that a text on the command line or in the environment stands for. */
  readonly fromText: (text: string) => unknown
  /** The allowed words, for a choice. */
  readonly words?: ReadonlyArray<string>
  /** Whether a value, valid or not, may contain a secret; then no message repeats it. */
  readonly secret?: true
  /** What is wrong with a value that is of the form: a sentence, without the value's secrets. */
  faultOf?(value: A): string | undefined
}

/** Why a value is refused: the rule that it breaks, which completes "must be", or else what is wrong with it. */
export interface RefusedValue {
  readonly rule: string
  readonly fault?: string
}

/** Reads a value as it stands in a JSON document. */
export const readValue = <A>(of: SettingKind<A>, json: unknown): Either.Either<A, RefusedValue> =>
  Either.flatMap(
    Either.mapLeft(of.decode(json), (): RefusedValue => ({ rule: of.rule })),
    (value) => {
      const fault = of.faultOf?.(value)
      return fault === undefined ? Either.right(value) : Either.left({ rule: of.rule, fault })
    }
  )

/** A refusal as a sentence about `what`; `given` tells the value behind its rule. */
export const refusalText = (what: string, { fault, rule }: RefusedValue, given = ""): string =>
  fault === undefined ? `${what} must be ${rule}${given}` : `${what}: ${fault}`

const kind = <A, I>(rule: string, schema: Schema.Schema<A, I>, fromText: (text: string) => unknown = (text) => text): SettingKind<A> => ({
  rule,
  decode: Schema.decodeUnknownEither(schema),
  fromText
})

const digits = /^(?:0|[1-9][0-9]*)$/

/** Text of one line, or of the given form. */
export const text = (rule = "text of one line", form = /^[^\p{Cc}]+$/u): SettingKind<string> =>
  kind(rule, Schema.String.pipe(Schema.pattern(form)))

/** A whole number of a range, both ends included. */
export const wholeNumber = (from: number, to: number): SettingKind<number> =>
  kind(`a whole number from ${from} to ${to}`, Schema.Int.pipe(Schema.between(from, to)), (value) =>
    digits.test(value) ? Number(value) : value
  )

/** Integers of any size: a decimal string, or a number where a double holds it. */
export const credits = (least: bigint): SettingKind<bigint> =>
  kind(
    `a whole number, ${least} or more`,
    Schema.transform(
      Schema.Union(Schema.String.pipe(Schema.pattern(digits)), Schema.Int.pipe(Schema.between(0, Number.MAX_SAFE_INTEGER))),
      Schema.BigIntFromSelf,
      { strict: true, decode: (value) => BigInt(value), encode: String }
    ).pipe(Schema.greaterThanOrEqualToBigInt(least))
  )

/** `true` or `false`. */
export const yesOrNo: SettingKind<boolean> = kind("true or false", Schema.Boolean, (value) =>
  value === "true" ? true : value === "false" ? false : value
)

/** One of a few words. */
export const choice = <const Words extends readonly [string, ...ReadonlyArray<string>]>(...words: Words): SettingKind<Words[number]> => ({
  ...kind(words.join(" or "), Schema.Literal(...words)),
  words
})

/** A list of texts; separated by commas when written as text. */
export const texts = (rule: string): SettingKind<ReadonlyArray<string>> =>
  kind(`${rule}; as text: separated by commas`, Schema.Array(Schema.NonEmptyString), (value) => value.split(",").map((part) => part.trim()))

const jsonFromText = (value: string): unknown => {
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

/** An object of texts; JSON when written as text. */
export const textByName = (rule: string): SettingKind<Readonly<Record<string, string>>> =>
  kind(`${rule}; as text: in JSON`, Schema.Record({ key: Schema.String, value: Schema.String }), jsonFromText)

/** The location of a secret: an environment variable or a file. */
export type SecretReference = { readonly env: string } | { readonly file: string }

const SecretReference = Schema.Union(Schema.Struct({ env: Schema.NonEmptyString }), Schema.Struct({ file: Schema.NonEmptyString }))

/** Headers by host, each with the location of its value, so that the configuration contains no secret. */
export type HeaderReferences = Readonly<Record<string, Readonly<Record<string, SecretReference>>>>

/** Headers by host. */
export const headersByHost: SettingKind<HeaderReferences> = {
  ...kind(
    'an object { host: { header: { "env": NAME } or { "file": PATH } } }; as text: in JSON',
    Schema.Record({ key: Schema.String, value: Schema.Record({ key: Schema.String, value: SecretReference }) }),
    jsonFromText
  ),
  secret: true
}

const spanOrForever = Schema.transformOrFail(Schema.String, Schema.NullOr(Schema.Number), {
  strict: true,
  decode: (value, _options, ast) => {
    const span = value === "forever" ? Option.some(null) : Option.filter(durationMs(value), (ms) => ms > 0)
    return Either.fromOption(span, () => new ParseResult.Type(ast, value))
  },
  encode: (ms) => ParseResult.succeed(ms === null ? "forever" : `${ms}ms`)
})

/** A span of time in milliseconds; `null` for ever. */
export const span: SettingKind<number | null> = kind("a span such as 24h or 30d, or forever", spanOrForever)

/** Bytes, in hex. */
export const hexBytes: SettingKind<Uint8Array> = kind("bytes in hex, such as 00", Schema.Uint8ArrayFromHex)

const databaseForm = /^(?:sqlite:.+|postgres(?:ql)?:\/\/\S+)$/su

/** A database's address. It may hold a password. */
export const database: SettingKind<Redacted.Redacted> = {
  ...kind("sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/NAME", Schema.Redacted(Schema.String.pipe(Schema.pattern(databaseForm)))),
  secret: true,
  faultOf: (address) => {
    const text = Redacted.value(address)
    return text.startsWith("sqlite:") ? undefined : postgresAddressFault(text)
  }
}

/** A secret of one line. */
export const secretText: SettingKind<Redacted.Redacted> = {
  ...kind("a secret of one line", Schema.Redacted(Schema.String.pipe(Schema.pattern(/^[^\p{Cc}]+$/u)))),
  secret: true
}

/** The address of a collector. Some services give it with a key, which is then refused without a word of it. */
export const collectorAddress: SettingKind<string> = {
  ...text(
    "an http or https address without user, password or query, and without the /v1/traces of one signal",
    /^https?:\/\/[^\s@?#]+(?<!\/v1\/(?:traces|metrics|logs)\/?)$/
  ),
  secret: true
}

/** Headers for a collector. */
export const collectorHeaders: SettingKind<Redacted.Redacted> = {
  ...kind(
    "headers as name=value,name=value, with values percent-encoded where a list or a header cannot hold them",
    Schema.Redacted(Schema.String.pipe(Schema.filter((list) => readOtlpHeaders(list) !== undefined)))
  ),
  secret: true
}

/** Origins of web pages. */
export const origins: SettingKind<ReadonlyArray<string>> = kind(
  "a list of origins as browsers send them (https://app.example); as text: separated by commas",
  Schema.Array(Schema.String.pipe(Schema.filter(isOrigin))),
  (value) => value.split(",").map((part) => part.trim())
)

/** Addresses of NATS servers. Who is asked for a password gives it elsewhere: addresses are shown. */
export const addresses: SettingKind<ReadonlyArray<string>> = {
  ...kind(
    "a list of nats://HOST:PORT or tls://HOST:PORT, without user or password; as text: separated by commas",
    Schema.NonEmptyArray(
      Schema.String.pipe(
        Schema.pattern(/^(?:nats|tls):\/\/[^\s/@]+$/),
        Schema.filter((address) => URL.canParse(address))
      )
    ),
    (value) => value.split(",").map((part) => part.trim())
  ),
  secret: true
}
