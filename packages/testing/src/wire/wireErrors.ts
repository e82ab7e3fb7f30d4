/** Every error that a client may be told by its `_tag`, with its HTTP status and its JSON-RPC code (decisions D13, D15 to D17). */

/** How an answer is sent. */
export interface SentAs {
  /** Undefined if it is never sent over HTTP. */
  readonly status?: number
  /** Undefined if it is never sent over JSON-RPC. */
  readonly code?: number
}

/** By tag, as the specification has them; a test compares them with what core declares. */
export const wireErrors = {
  ParseError: { code: 32_700 },
  InvalidParameter: { status: 400, code: 32_602 },
  InvalidRequest: { status: 400, code: 32_600 },
  ProgramNotAllowed: { status: 400, code: 32_602 },
  // Over JSON-RPC only while a connection outlives its key, for a second.
  Unauthorized: { status: 401, code: 36_041 },
  InsufficientCredits: { status: 403, code: 36_003 },
  OutsideTicket: { status: 403, code: 36_043 },
  FeedNotFound: { status: 404, code: 32_001 },
  LastResultNotFound: { status: 404 },
  MethodNotFound: { code: 32_601 },
  NotFound: { status: 404 },
  ProgramNotFound: { status: 404, code: 36_004 },
  RecordingNotFound: { status: 404 },
  MethodNotAllowed: { status: 405 },
  RequestTimeout: { status: 408 },
  PayloadTooLarge: { status: 413 },
  UriTooLong: { status: 414 },
  UnsupportedMediaType: { status: 415 },
  IdempotencyKeyReused: { status: 422 },
  UpgradeRequired: { status: 426 },
  CreditLimitExceeded: { status: 429, code: 36_029 },
  FeedLimit: { status: 429, code: 36_030 },
  FeedOverlapLimit: { code: 36_030 },
  TicketLimit: { status: 429 },
  TooManyConnections: { status: 429 },
  HeadTooLarge: { status: 431 },
  InternalError: { status: 500, code: 36_000 },
  Overloaded: { status: 503, code: 36_053 },
  Unavailable: { status: 503, code: 36_054 },
  FailedExecutionResponse: { status: 599, code: 36_001 }
} as const satisfies Readonly<Record<string, SentAs>>

/** The tag of an error. */
export type WireErrorTag = keyof typeof wireErrors

/** Errors that only tickets, recordings, unknown paths, plain requests to the WebSocket and requests of a wrong size or pace are answered with. */
const ofOtherRequests: ReadonlyArray<WireErrorTag> = [
  "OutsideTicket",
  "TicketLimit",
  "RecordingNotFound",
  "NotFound",
  "UpgradeRequired",
  "RequestTimeout",
  "PayloadTooLarge",
  "UriTooLong",
  "HeadTooLarge"
]

/** What clients of executions and feeds can be told that send well-sized requests to known paths, without the errors that have no reason. */
export const errorsOfRunsWithout = (...unreasoned: ReadonlyArray<WireErrorTag>): Readonly<Record<string, SentAs>> => {
  const left: ReadonlySet<string> = new Set([...ofOtherRequests, ...unreasoned])
  return Object.fromEntries(Object.entries(wireErrors).filter(([tag]) => !left.has(tag)))
}
