/** What a stand-alone server says to a path that is none of the service's (decision D13): the same bytes on every runtime. */
import { type ErrorBody, NotFound } from "../contract/errors.ts"
import type { ServiceResponse } from "./seam.ts"

/** 404 `NotFound` under a request id (a UUID) of the server's making. */
export const foreignPathResponse = (requestId: string): ServiceResponse => {
  const { _tag, status, message } = new NotFound({ message: "There is nothing at this path." })
  const body: ErrorBody<"NotFound"> = { _tag, error: message, message, requestId }
  return {
    status,
    headers: { "content-type": "application/json", "x-request-id": requestId },
    body: JSON.stringify(body)
  }
}
