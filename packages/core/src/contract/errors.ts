/** Every error that a client can receive, with its tag, HTTP status and JSON-RPC code (decisions D13, D15, D17). */
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { type Cause, Data, Schema } from "effect"
import { type ErrorMeaning, errorMeanings } from "./errorMeanings.ts"

/** What an error carries beside its tag: a text and, where useful, machine-readable details. */
export interface FailureFields {
  readonly message: string
  readonly details?: Readonly<Record<string, unknown>>
  /** For 429 and 503: when to retry. */
  readonly retryAfterSeconds?: number
}

/** How an error is sent: the status over HTTP, the code over JSON-RPC (positive, as the interface specifies). */
interface Declared {
  readonly status: number
  readonly rpcCode: number
}

/** The body of an HTTP error (decision D13). `error` and `message` are the same text. */
export interface ErrorBody<Tag extends string = string> {
  readonly _tag: Tag
  readonly error: string
  readonly message: string
  readonly requestId: string
  readonly details?: { readonly [name: string]: unknown } | undefined
}

/** One error value. */
interface FailureValue<Tag extends string> extends Cause.YieldableError, FailureFields, Declared {
  readonly message: string
  readonly _tag: Tag
}

/** The class of one error; `wire` is the schema of its HTTP body, for the OpenAPI document and the typed client, `meaning` its cause and cure. */
interface FailureClass<Tag extends string> extends Declared {
  new (fields: FailureFields): FailureValue<Tag>
  readonly meaning: ErrorMeaning
  readonly wire: Schema.Schema<ErrorBody<Tag>>
}

const descriptionOf = ({ cause, cure }: ErrorMeaning): string => `Cause: ${cause}. Cure: ${cure}.`

const wireSchema = <Tag extends keyof typeof errorMeanings>(tag: Tag, status: number): Schema.Schema<ErrorBody<Tag>> =>
  Schema.Struct({
    _tag: Schema.Literal(tag),
    error: Schema.String,
    message: Schema.String,
    requestId: Schema.String,
    details: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
  }).annotations({ ...HttpApiSchema.annotations({ status }), identifier: tag, description: descriptionOf(errorMeanings[tag]) })

/** Makes the class of one error, which needs a meaning. */
const failure = <const Tag extends keyof typeof errorMeanings>(tag: Tag, { status, rpcCode }: Declared): FailureClass<Tag> =>
  class extends Data.TaggedError(tag)<FailureFields> {
    static readonly status = status
    static readonly rpcCode = rpcCode
    static readonly meaning: ErrorMeaning = errorMeanings[tag]
    static readonly wire = wireSchema(tag, status)
    readonly status = status
    readonly rpcCode = rpcCode
  }

/** A parameter breaks its rule; `details` has `parameter` and `rule`. */
export class InvalidParameter extends failure("InvalidParameter", { status: 400, rpcCode: 32602 }) {
  /** `parameter` is the name as the client wrote it, `rule` what its value must be. */
  static because(parameter: string, rule: string): InvalidParameter {
    return new InvalidParameter({ message: `${parameter}: ${rule}`, details: { parameter, rule } })
  }
}
/** The body as a whole is invalid: not JSON, not an object, or incomplete. */
export class InvalidRequest extends failure("InvalidRequest", { status: 400, rpcCode: 32600 }) {}
/** The program is not in the project's allow-list; checked before its existence. */
export class ProgramNotAllowed extends failure("ProgramNotAllowed", { status: 400, rpcCode: 32602 }) {}
/** No key, or an invalid one. */
export class Unauthorized extends failure("Unauthorized", { status: 401, rpcCode: 36041 }) {}
/** The ticket does not allow this; `details` names what. */
export class OutsideTicket extends failure("OutsideTicket", { status: 403, rpcCode: 36043 }) {}
/** The project has the maximum number of tickets. */
export class TicketLimit extends failure("TicketLimit", { status: 429, rpcCode: 36030 }) {}
/** The remaining balance cannot cover the hold; `details` has `required` and `remaining`. */
export class InsufficientCredits extends failure("InsufficientCredits", { status: 403, rpcCode: 36003 }) {}
/** No such path. Stand-alone servers answer it; an embedded service leaves unknown paths to the embedding server. */
export class NotFound extends failure("NotFound", { status: 404, rpcCode: 32601 }) {}
/** No program is deployed with this id. */
export class ProgramNotFound extends failure("ProgramNotFound", { status: 404, rpcCode: 36004 }) {}
/** Nothing is stored for this request. */
export class LastResultNotFound extends failure("LastResultNotFound", { status: 404, rpcCode: 36005 }) {}
/** The project has no recording of a run with this id. */
export class RecordingNotFound extends failure("RecordingNotFound", { status: 404, rpcCode: 36006 }) {}
/** The path exists, but not for this method; the answer carries `Allow`. */
export class MethodNotAllowed extends failure("MethodNotAllowed", { status: 405, rpcCode: 32601 }) {}
/** A request, or its body, did not arrive in time; the connection is closed. */
export class RequestTimeout extends failure("RequestTimeout", { status: 408, rpcCode: 32600 }) {}
/** The body is longer than the limit. */
export class PayloadTooLarge extends failure("PayloadTooLarge", { status: 413, rpcCode: 32600 }) {}
/** Path and query together are longer than the limit. */
export class UriTooLong extends failure("UriTooLong", { status: 414, rpcCode: 32600 }) {}
/** The head of a request is longer than the server accepts; the connection is closed. */
export class HeadTooLarge extends failure("HeadTooLarge", { status: 431, rpcCode: 32600 }) {}
/** The body is not declared as JSON. */
export class UnsupportedMediaType extends failure("UnsupportedMediaType", { status: 415, rpcCode: 32600 }) {}
/** The `Idempotency-Key` was used for a different request within the last 24 hours. */
export class IdempotencyKeyReused extends failure("IdempotencyKeyReused", { status: 422, rpcCode: 36022 }) {}
/** The usage limit of this period is reached; the answer carries `Retry-After`. */
export class CreditLimitExceeded extends failure("CreditLimitExceeded", { status: 429, rpcCode: 36029 }) {}
/** The key has the maximum number of connections. */
export class TooManyConnections extends failure("TooManyConnections", { status: 429, rpcCode: 36030 }) {}
/** A plain request to the WebSocket path. */
export class UpgradeRequired extends failure("UpgradeRequired", { status: 426, rpcCode: 32600 }) {}
/** A JSON-RPC method that does not exist. */
export class MethodNotFound extends failure("MethodNotFound", { status: 404, rpcCode: 32601 }) {}
/** This connection has no feed with this id. */
export class FeedNotFound extends failure("FeedNotFound", { status: 404, rpcCode: 32001 }) {}
/** The connection has the maximum number of feeds. */
export class FeedLimit extends failure("FeedLimit", { status: 429, rpcCode: 36030 }) {}
/** A PARALLEL feed has the maximum number of concurrent runs; this run was not started. */
export class FeedOverlapLimit extends failure("FeedOverlapLimit", { status: 429, rpcCode: 36030 }) {}
/** An internal fault. Its text reveals no internals. */
export class InternalError extends failure("InternalError", { status: 500, rpcCode: 36000 }) {}
/** The queue is full, or the service is draining; the answer carries `Retry-After`. */
export class Overloaded extends failure("Overloaded", { status: 503, rpcCode: 36053 }) {}
/** The store is unavailable; the answer carries `Retry-After`. */
export class Unavailable extends failure("Unavailable", { status: 503, rpcCode: 36054 }) {}

/** Any of these errors. */
export type Failure =
  | InvalidParameter
  | InvalidRequest
  | ProgramNotAllowed
  | Unauthorized
  | OutsideTicket
  | TicketLimit
  | InsufficientCredits
  | NotFound
  | ProgramNotFound
  | LastResultNotFound
  | RecordingNotFound
  | MethodNotAllowed
  | RequestTimeout
  | PayloadTooLarge
  | UriTooLong
  | HeadTooLarge
  | UnsupportedMediaType
  | IdempotencyKeyReused
  | CreditLimitExceeded
  | TooManyConnections
  | UpgradeRequired
  | MethodNotFound
  | FeedNotFound
  | FeedLimit
  | FeedOverlapLimit
  | InternalError
  | Overloaded
  | Unavailable
