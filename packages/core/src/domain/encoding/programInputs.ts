/** The bytes of `execInputs` and `tallyInputs` from what a client sent (decision D5). */
import { Either } from "effect"
import { fromBase64, fromHex, fromUtf8 } from "./bytes.ts"
import { isJsonArray, isJsonObject, type Json, JsonNumber, printJson } from "./losslessJson.ts"
import { survivesDouble } from "./survivesDouble.ts"

/** How a text encodes bytes. */
export type InputEncoding = "auto" | "hex" | "utf8" | "base64"

/** The rule that an input breaks, as text for the client. */
export interface InputFault {
  readonly rule: string
}

const base64Rule = "must be base64, standard or URL-safe"
const plusHint = "a + in a query is read as a space: write %2B, or - of the URL-safe alphabet"

const fault = (rule: string): Either.Either<never, InputFault> => Either.left({ rule })

const fromHexText = (text: string): Either.Either<Uint8Array, InputFault> => {
  const bytes = fromHex(text)
  return bytes === undefined ? fault("must be hex: an even number of digits 0-9, a-f") : Either.right(bytes)
}

/** A half of a surrogate pair has no bytes in UTF-8: what stands for it there, U+FFFD, is another text. */
const fromWellFormed = (text: string): Either.Either<Uint8Array, InputFault> =>
  /\p{Surrogate}/u.test(text) ? fault("must be well-formed Unicode: it has one half of a surrogate pair") : Either.right(fromUtf8(text))

const fromText = (text: string, encoding: InputEncoding): Either.Either<Uint8Array, InputFault> => {
  switch (encoding) {
    case "auto":
      return text.startsWith("0x") ? fromHexText(text) : fromWellFormed(text)
    case "hex":
      return fromHexText(text)
    case "utf8":
      return fromWellFormed(text)
    case "base64": {
      const bytes = fromBase64(text)
      return bytes === undefined ? fault(text.includes(" ") ? `${base64Rule}; ${plusHint}` : base64Rule) : Either.right(bytes)
    }
  }
}

const findLost = (value: Json): JsonNumber | undefined => {
  if (value instanceof JsonNumber) return survivesDouble(value.digits) ? undefined : value
  const children = isJsonArray(value) ? value : isJsonObject(value) ? [...value.values()] : []
  for (const child of children) {
    const lost = findLost(child)
    if (lost !== undefined) return lost
  }
  return undefined
}

/** Compact JSON with numbers printed as doubles: the form whose bytes the public network hashes. */
const compact = (value: Json): string => printJson(value, ({ digits }) => JSON.stringify(Number(digits)))

/** The bytes of one input. An absent one is empty; an object or list is its compact JSON whatever the encoding. */
export const inputBytesOf = (value: Json | undefined, encoding: InputEncoding): Either.Either<Uint8Array, InputFault> => {
  if (value === undefined || value === null) return Either.right(new Uint8Array())
  if (typeof value === "string") return fromText(value, encoding)
  if (!isJsonArray(value) && !isJsonObject(value)) return fault("must be a string, an object or a list")
  const lost = findLost(value)
  return lost === undefined
    ? Either.right(fromUtf8(compact(value)))
    : fault(`the number ${lost.digits.slice(0, 80)} would change in a round trip through a double; send it as a string`)
}
