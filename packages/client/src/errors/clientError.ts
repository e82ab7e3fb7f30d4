/** What can go wrong in a call or a feed: errors by `_tag`, each with what is known of it. */
import type { RpcError } from "../contract/messages.ts"
import type { ExecuteData, ExecuteResponse, FailedExecutionResponse } from "../contract/records.ts"
import type { ServiceTag } from "./serviceTag.ts"

/** The service refused, or failed. `_tag` is its own: `Unauthorized`, `InsufficientCredits`, `Overloaded` ... */
export class ServiceRefusal extends Error {
  readonly _tag: ServiceTag
  /** The HTTP status; undefined where it came over WebSocket. */
  readonly status: number | undefined
  /** The JSON-RPC code; undefined where it came over HTTP. */
  readonly code: number | undefined
  /** Machine-readable: `parameter` and `rule` of an invalid parameter, `required` and `remaining` of missing credits ... */
  readonly details: { readonly [name: string]: unknown } | undefined
  readonly requestId: string | undefined
  /** When the service asks to try again, in milliseconds from its answer. */
  readonly retryAfterMs: number | undefined

  constructor(
    tag: ServiceTag,
    message: string,
    known: Partial<Pick<ServiceRefusal, "code" | "details" | "requestId" | "retryAfterMs" | "status">>
  ) {
    super(message)
    this.name = "ServiceRefusal"
    this._tag = tag
    this.status = known.status
    this.code = known.code
    this.details = known.details
    this.requestId = known.requestId
    this.retryAfterMs = known.retryAfterMs
  }
}

/** The program ran and ended with a non-zero exit code. The run is signed and charged. */
export class FailedExecution extends Error {
  readonly _tag = "FailedExecutionResponse"
  readonly data: ExecuteData | undefined
  /** As it was received, for `verify`; of a run of a feed, its `error`. */
  readonly answer: FailedExecutionResponse | RpcError

  constructor(answer: FailedExecutionResponse | RpcError) {
    super(answer.error)
    this.name = "FailedExecution"
    this.data = answer.data
    this.answer = answer
  }
}

/** No service answered: no connection, none in time, or one that ended before its answer. */
export class NotReached extends Error {
  readonly _tag = "NotReached"
  /** False where nothing was sent, for certain; else what was asked for may be done, and a run charged. Pages are not told which. */
  readonly mayBeDone: boolean

  constructor(message: string, cause?: unknown, mayBeDone = true) {
    super(message, { cause })
    this.name = "NotReached"
    this.mayBeDone = mayBeDone
  }
}

/** Something answered that is not this service: a proxy's page, or another server. */
export class UnexpectedAnswer extends Error {
  readonly _tag = "UnexpectedAnswer"
  readonly status: number | undefined
  /** When it asks to try again, in milliseconds from its answer. */
  readonly retryAfterMs: number | undefined

  constructor(message: string, status?: number, retryAfterMs?: number) {
    super(message)
    this.name = "UnexpectedAnswer"
    this.status = status
    this.retryAfterMs = retryAfterMs
  }
}

/** One thing that a result schema found. */
export interface ResultIssue {
  readonly message: string
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined
}

/** The program succeeded, but its result is not what the given schema describes. */
export class InvalidResult extends Error {
  readonly _tag = "InvalidResult"
  readonly issues: ReadonlyArray<ResultIssue>
  readonly answer: ExecuteResponse

  /** `cause`: what a schema threw in place of finding issues. */
  constructor(issues: ReadonlyArray<ResultIssue>, answer: ExecuteResponse, cause?: unknown) {
    super(`the result is not what its schema describes: ${issues.map(({ message }) => message).join("; ")}`, { cause })
    this.name = "InvalidResult"
    this.issues = issues
    this.answer = answer
  }
}

/** A loop over a feed with `whenSlow: "fail"` took its results too slowly. */
export class SlowConsumer extends Error {
  readonly _tag = "SlowConsumer"
  /** How many results were waiting. */
  readonly waiting: number

  constructor(waiting: number) {
    super(`${waiting} results of the feed are waiting, and whenSlow is "fail"`)
    this.name = "SlowConsumer"
    this.waiting = waiting
  }
}

/** An option of the client is missing or wrong. */
export class InvalidOption extends Error {
  readonly _tag = "InvalidOption"
  readonly option: string

  constructor(option: string, rule: string) {
    super(`${option} ${rule}`)
    this.name = "InvalidOption"
    this.option = option
  }
}

/** Everything that a call rejects with, except the reason of its own `signal`. */
export type ClientError = ServiceRefusal | FailedExecution | NotReached | UnexpectedAnswer | InvalidResult | SlowConsumer | InvalidOption

const classes = [ServiceRefusal, FailedExecution, NotReached, UnexpectedAnswer, InvalidResult, SlowConsumer, InvalidOption] as const

/** Whether something that was caught is one of the errors of this client: then its `_tag` tells which. */
export const isClientError = (caught: unknown): caught is ClientError => classes.some((each) => caught instanceof each)
