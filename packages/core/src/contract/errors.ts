/** Every error a client can meet, each with its tag, HTTP status and JSON-RPC code side by side (decisions D13, D15, D17). */
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import { type Cause, Data, Schema } from "effect"

/** What an error carries beside its tag: a text for people and, where it helps, facts for programs. */
export interface FailureFields {
  readonly message: string
  readonly details?: Readonly<Record<string, unknown>>
  /** For 429 and 503: when to come again. */
  readonly retryAfterSeconds?: number
}

/** Where an error shows: the status over HTTP, the code over JSON-RPC (positive, as the interface has them). */
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

/** One error as a value. */
interface FailureValue<Tag extends string> extends Cause.YieldableError, FailureFields, Declared {
  readonly message: string
  readonly _tag: Tag
}

/** One error's class; `wire` is the schema of its HTTP body, for the OpenAPI document and the typed client. */
interface FailureClass<Tag extends string> extends Declared {
  new (fields: FailureFields): FailureValue<Tag>
  readonly wire: Schema.Schema<ErrorBody<Tag>>
}

const wireSchema = <Tag extends string>(tag: Tag, status: number): Schema.Schema<ErrorBody<Tag>> =>
  Schema.Struct({
    _tag: Schema.Literal(tag),
    error: Schema.String,
    message: Schema.String,
    requestId: Schema.String,
    details: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
  }).annotations({ ...HttpApiSchema.annotations({ status }), identifier: tag })

/** Makes the class of one error. */
const failure = <const Tag extends string>(tag: Tag, { status, rpcCode }: Declared): FailureClass<Tag> =>
  class extends Data.TaggedError(tag)<FailureFields> {
    static readonly status = status
    static readonly rpcCode = rpcCode
    static readonly wire = wireSchema(tag, status)
    readonly status = status
    readonly rpcCode = rpcCode
  }

/** A parameter breaks its rule; `details` has `parameter` and `rule`. */
export class InvalidParameter extends failure("InvalidParameter", { status: 400, rpcCode: 32602 }) {
  /** `parameter` is the name as the client wrote it, `rule` what it has to be. */
  static because(parameter: string, rule: string): InvalidParameter {
    return new InvalidParameter({ message: `${parameter}: ${rule}`, details: { parameter, rule } })
  }
}
/** The body as a whole cannot be read: not JSON, not an object, not complete. */
export class InvalidRequest extends failure("InvalidRequest", { status: 400, rpcCode: 32600 }) {}
/** The program is outside the project's allow-list; checked before existence. */
export class ProgramNotAllowed extends failure("ProgramNotAllowed", { status: 400, rpcCode: 32602 }) {}
/** No key, or none that is valid now. */
export class Unauthorized extends failure("Unauthorized", { status: 401, rpcCode: 36041 }) {}
/** The remaining balance cannot cover the hold; `details` has `required` and `remaining`. */
export class InsufficientCredits extends failure("InsufficientCredits", { status: 403, rpcCode: 36003 }) {}
/** No such path. Stand-alone servers answer it; an embedded service leaves foreign paths alone. */
export class NotFound extends failure("NotFound", { status: 404, rpcCode: 32601 }) {}
/** No program is deployed under this id. */
export class ProgramNotFound extends failure("ProgramNotFound", { status: 404, rpcCode: 36004 }) {}
/** Nothing is stored for this request. */
export class LastResultNotFound extends failure("LastResultNotFound", { status: 404, rpcCode: 36005 }) {}
/** The path is ours, the method is not; the answer carries `Allow`. */
export class MethodNotAllowed extends failure("MethodNotAllowed", { status: 405, rpcCode: 32601 }) {}
/** A request, or its body, did not arrive in time; the connection is closed. */
export class RequestTimeout extends failure("RequestTimeout", { status: 408, rpcCode: 32600 }) {}
/** The body is larger than the limit. */
export class PayloadTooLarge extends failure("PayloadTooLarge", { status: 413, rpcCode: 32600 }) {}
/** Path and query together are longer than the limit. */
export class UriTooLong extends failure("UriTooLong", { status: 414, rpcCode: 32600 }) {}
/** The head of a request is larger than the server reads; the connection is closed. */
export class HeadTooLarge extends failure("HeadTooLarge", { status: 431, rpcCode: 32600 }) {}
/** A body that is not declared as JSON. */
export class UnsupportedMediaType extends failure("UnsupportedMediaType", { status: 415, rpcCode: 32600 }) {}
/** The `Idempotency-Key` was used for another request within the last 24 hours. */
export class IdempotencyKeyReused extends failure("IdempotencyKeyReused", { status: 422, rpcCode: 36022 }) {}
/** The usage limit of this period is reached; the answer carries `Retry-After`. */
export class CreditLimitExceeded extends failure("CreditLimitExceeded", { status: 429, rpcCode: 36029 }) {}
/** The key has as many connections open as it may. */
export class TooManyConnections extends failure("TooManyConnections", { status: 429, rpcCode: 36030 }) {}
/** A plain request where only WebSocket upgrades are answered. */
export class UpgradeRequired extends failure("UpgradeRequired", { status: 426, rpcCode: 32600 }) {}
/** A JSON-RPC method that does not exist. */
export class MethodNotFound extends failure("MethodNotFound", { status: 404, rpcCode: 32601 }) {}
/** No feed of this connection has this id. */
export class FeedNotFound extends failure("FeedNotFound", { status: 404, rpcCode: 32001 }) {}
/** The connection runs as many feeds as it may. */
export class FeedLimit extends failure("FeedLimit", { status: 429, rpcCode: 36030 }) {}
/** A PARALLEL feed has as many runs at once as it may; this run did not take place. */
export class FeedOverlapLimit extends failure("FeedOverlapLimit", { status: 429, rpcCode: 36030 }) {}
/** A fault of ours. Its text says nothing about the inside. */
export class InternalError extends failure("InternalError", { status: 500, rpcCode: 36000 }) {}
/** The queue is full, or the service is draining; the answer carries `Retry-After`. */
export class Overloaded extends failure("Overloaded", { status: 503, rpcCode: 36053 }) {}
/** The store is out of reach for now; the answer carries `Retry-After`. */
export class Unavailable extends failure("Unavailable", { status: 503, rpcCode: 36054 }) {}

/** Any error of this file. */
export type Failure =
  | InvalidParameter
  | InvalidRequest
  | ProgramNotAllowed
  | Unauthorized
  | InsufficientCredits
  | NotFound
  | ProgramNotFound
  | LastResultNotFound
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
