/** The errors that clients may be told, with their status and code, as the decisions have them. */

/** By tag. */
export const wireErrors: Readonly<Record<string, { readonly status: number; readonly code: number }>> = {
  InvalidParameter: { status: 400, code: 32602 },
  InvalidRequest: { status: 400, code: 32600 },
  ProgramNotAllowed: { status: 400, code: 32602 },
  Unauthorized: { status: 401, code: 36041 },
  InsufficientCredits: { status: 403, code: 36003 },
  ProgramNotFound: { status: 404, code: 36004 },
  LastResultNotFound: { status: 404, code: 36005 },
  FeedNotFound: { status: 404, code: 32001 },
  IdempotencyKeyReused: { status: 422, code: 36022 },
  CreditLimitExceeded: { status: 429, code: 36029 },
  FeedLimit: { status: 429, code: 36030 },
  FeedOverlapLimit: { status: 429, code: 36030 },
  InternalError: { status: 500, code: 36000 },
  Overloaded: { status: 503, code: 36053 },
  Unavailable: { status: 503, code: 36054 },
  FailedExecutionResponse: { status: 599, code: 36001 }
}
