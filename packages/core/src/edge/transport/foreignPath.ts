/** The answer of a stand-alone server to a path that the service does not have (decision D13), the same on every runtime. */
import { NotFound } from "../../contract/errors.ts"
import { errorResponse } from "./errorResponse.ts"
import type { ServiceResponse } from "./seam.ts"

/** 404 `NotFound` with a request id (a UUID) that the server made. */
export const foreignPathResponse = (requestId: string): ServiceResponse =>
  errorResponse(new NotFound({ message: "there is nothing at this path" }), requestId)
