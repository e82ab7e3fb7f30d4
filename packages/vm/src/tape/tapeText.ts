/** A tape as text, for recordings: JSON in ASCII, whose bytes people can read where they are text. */
import type { RecordedTape } from "@sibyl/core"
import { Either, ParseResult, Schema } from "effect"
import { bytesOf, isTerminal, type Tape } from "./tape.ts"
import { tapeSchemasOf } from "./tapeSchema.ts"

const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
const encoder = new TextEncoder()

const textOf = (bytes: Uint8Array): string | undefined => {
  try {
    return strictUtf8.decode(bytes)
  } catch {
    return undefined
  }
}

const Base64 = Schema.Struct({ base64: Schema.Uint8ArrayFromBase64 })
/** UTF-8 text as a JSON text, other bytes as `{ "base64": … }`. */
const TapeBytes = Schema.transform(Schema.Union(Schema.String, Base64), Schema.Uint8ArrayFromSelf, {
  strict: true,
  decode: (written) => (typeof written === "string" ? encoder.encode(written) : written.base64),
  encode: (_encoded, bytes) => textOf(bytes) ?? { base64: bytes }
})

const { tape: TapeJson } = tapeSchemasOf(TapeBytes as Schema.Schema<Uint8Array, unknown>)

const encode = Schema.encodeSync(TapeJson)
const decode = Schema.decodeUnknownEither(Schema.parseJson(TapeJson), { onExcessProperty: "error" })

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`

/** The text of a tape. */
export const writeTape = (tape: Tape): string => JSON.stringify(encode(tape)).replaceAll(/[^\x20-\x7e]/g, escaped)

/** The tape as a recording takes it: its text, or how many bytes it has if they are more than `maxBytes`. */
export const recordedTapeOf = (tape: Tape, maxBytes: number): RecordedTape => {
  // Not written if its answers alone are too many.
  const bytes = tape.entries.reduce((sum, entry) => sum + (isTerminal(entry) ? 0 : bytesOf(entry)), 0)
  const text = bytes > maxBytes ? undefined : writeTape(tape)
  return text === undefined || text.length > maxBytes ? { bytes: text?.length ?? bytes } : text
}

/** The tape of a text, or what is wrong with it. */
export const readTape = (text: string): Either.Either<Tape, string> =>
  Either.mapLeft(decode(text), (error) => {
    const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
    return `${issue?.path.join(".") ?? "tape"}: ${issue?.message ?? "is malformed"}`
  })
