/** An error as an HTTP answer: the body of decision D13 and the headers that go with its status. */
import type { ErrorBody, Failure } from "../../contract/errors.ts"
import type { ServiceResponse } from "./seam.ts"

/** Headers of every JSON answer. */
export const jsonHeaders = (requestId: string, more: Readonly<Record<string, string>> = {}): Record<string, string> => ({
  "content-type": "application/json; charset=utf-8",
  "x-request-id": requestId,
  ...more
})

/** An answer that tells an error. */
export interface ErrorResponse extends ServiceResponse {
  /** The error itself, for whoever observes answers; it is not sent. */
  readonly failure: Failure
}

/** A failure under a request id. */
export const errorResponse = (failure: Failure, requestId: string): ErrorResponse => {
  const { _tag, details, message, retryAfterSeconds, status } = failure
  const body: ErrorBody = { _tag, error: message, message, requestId, ...(details === undefined ? {} : { details }) }
  const headers = jsonHeaders(requestId)
  if (status === 401) headers["www-authenticate"] = "Bearer"
  // The rest of the request is not read, so the connection cannot be reused.
  if (status === 408 || status === 431) headers["connection"] = "close"
  if (status === 426) headers["upgrade"] = "websocket"
  if (retryAfterSeconds !== undefined) headers["retry-after"] = String(retryAfterSeconds)
  return { status, headers, body: JSON.stringify(body), failure }
}
