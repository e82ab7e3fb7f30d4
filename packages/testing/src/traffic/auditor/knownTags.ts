/** Every kind of answer by its `_tag`, with its HTTP status and its JSON-RPC code (decisions D13, D15 to D17). */

/** How an answer is sent. */
export interface SentAs {
  readonly status: number
  /** Of JSON-RPC errors. */
  readonly code?: number
}

/** Those that traffic can meet. */
export const knownTags: Readonly<Record<string, SentAs>> = {
  ExecuteResponse: { status: 200 },
  QuoteResponse: { status: 200 },
  FailedExecutionResponse: { status: 599, code: 36_001 },
  InvalidParameter: { status: 400, code: 32_602 },
  InvalidRequest: { status: 400, code: 32_600 },
  ProgramNotAllowed: { status: 400, code: 32_602 },
  Unauthorized: { status: 401, code: 36_041 },
  InsufficientCredits: { status: 403, code: 36_003 },
  ProgramNotFound: { status: 404, code: 36_004 },
  LastResultNotFound: { status: 404, code: 36_005 },
  MethodNotFound: { status: 404, code: 32_601 },
  FeedNotFound: { status: 404, code: 32_001 },
  MethodNotAllowed: { status: 405 },
  UnsupportedMediaType: { status: 415 },
  IdempotencyKeyReused: { status: 422 },
  CreditLimitExceeded: { status: 429, code: 36_029 },
  FeedLimit: { status: 429, code: 36_030 },
  FeedOverlapLimit: { status: 429, code: 36_030 },
  TooManyConnections: { status: 429, code: 36_030 },
  Overloaded: { status: 503, code: 36_053 },
  Unavailable: { status: 503, code: 36_054 }
}

/** A service that is too busy may refuse any request that would run something. */
export const busyTags = ["Overloaded", "Unavailable"] as const
