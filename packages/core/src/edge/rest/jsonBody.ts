/** Reads a request's body as parameters: it must be declared as JSON, within the limit, and an object (decisions D5, D13). */
import { Effect, Either } from "effect"
import {
  InternalError,
  type InvalidParameter,
  InvalidRequest,
  PayloadTooLarge,
  RequestTimeout,
  UnsupportedMediaType
} from "../../contract/errors.ts"
import { toUtf8 } from "../../domain/encoding/bytes.ts"
import type { Limits } from "../../domain/settings/limits.ts"
import { isParameterPlace, type ParameterPlace } from "../execution/executeParameters.ts"
import { readRequestJson } from "../execution/requestJson.ts"
import { givenTwice } from "../execution/query.ts"
import { BodyUnreadable, type ServiceRequest } from "../transport/seam.ts"

/** Why a body is refused. */
export type BodyRefused = InvalidParameter | InvalidRequest | PayloadTooLarge | RequestTimeout | UnsupportedMediaType | InternalError

const jsonType = /^application\/(?:[a-z0-9!#$&^_.+-]+\+)?json *(?:;|$)/i

const refusal = (cause: unknown, maxBytes: number): InvalidRequest | PayloadTooLarge | InternalError => {
  if (!(cause instanceof BodyUnreadable)) return new InternalError({ message: "the body could not be read" })
  switch (cause.reason) {
    case "tooLarge":
      return new PayloadTooLarge({ message: `the body is larger than ${maxBytes} bytes`, details: { maxBytes } })
    case "aborted":
      return new InvalidRequest({ message: "the body ended early" })
    case "alreadyRead":
      return new InternalError({ message: `the service cannot read the body: ${cause.message}` })
  }
}

/** Some clients send a byte order mark first; it is not part of the JSON (RFC 8259, section 8.1). */
const byteOrderMark = "\ufeff"

/** Reading shorter ones takes less than a millisecond or two. */
const longBytes = 65_536

const isCompressed = (request: ServiceRequest): boolean => {
  const coding = request.header("content-encoding")?.trim().toLowerCase() ?? ""
  return coding !== "" && coding !== "identity"
}

/** Reads the body as text. */
export const readBodyText: (
  request: ServiceRequest,
  limits: Pick<Limits, "bodyMs" | "requestBytes">
) => Effect.Effect<string, BodyRefused> = Effect.fnUntraced(function* (
  request: ServiceRequest,
  { bodyMs, requestBytes: maxBytes }: Pick<Limits, "bodyMs" | "requestBytes">
) {
  const type = request.header("content-type")
  const declared = type !== undefined && jsonType.test(type)
  // A wrong media type is refused before the body is read, however large it is.
  if (type !== undefined && !declared) return yield* notJson
  if (isCompressed(request)) return yield* compressed
  const bytes = yield* Effect.tryPromise({
    try: () => request.body(maxBytes),
    catch: (cause) => refusal(cause, maxBytes)
  }).pipe(Effect.timeoutFail({ duration: bodyMs, onTimeout: () => tooSlow(bodyMs) }))
  if (bytes.length === 0) return ""
  if (!declared) return yield* notJson
  // What follows reads it in one go: those that arrive together take a turn of the event loop each.
  if (bytes.length > longBytes) yield* Effect.yieldNow()
  const text = toUtf8(bytes)
  return text ?? (yield* new InvalidRequest({ message: "the body must be UTF-8" }))
})

/** The parameters in the text of a body. An empty body has none, whatever its media type. */
export const bodyParameters = (text: string): Either.Either<ParameterPlace, InvalidRequest | InvalidParameter> => {
  if (text === "") return Either.right(new Map())
  const read = readRequestJson(text.startsWith(byteOrderMark) ? text.slice(1) : text)
  if (!read.ok) {
    const { at, message } = read.fault
    return Either.left(new InvalidRequest({ message: `the body must be JSON: ${message} at character ${at}` }))
  }
  if (!isParameterPlace(read.value)) return Either.left(new InvalidRequest({ message: "the body must be a JSON object" }))
  return read.repeated === undefined ? Either.right(read.value) : Either.left(givenTwice(read.repeated.slice(0, 200)))
}

/** Reads the parameters in the body. */
export const readJsonBody = (
  request: ServiceRequest,
  limits: Pick<Limits, "bodyMs" | "requestBytes">
): Effect.Effect<ParameterPlace, BodyRefused> => Effect.flatMap(readBodyText(request, limits), bodyParameters)

const compressed = new UnsupportedMediaType({ message: "a compressed body is not read: send it without Content-Encoding" })

const tooSlow = (bodyMs: number): RequestTimeout =>
  new RequestTimeout({ message: `the body was not complete within ${bodyMs} ms`, details: { bodyMs } })

const notJson = new UnsupportedMediaType({ message: "the body must be JSON with content-type: application/json" })
