/** What a stand-alone server says to a path that is none of the service's (decision D13), on every runtime. */
import { NotFound } from "../../contract/errors.ts"
import { errorResponse } from "./errorResponse.ts"
import type { ServiceResponse } from "./seam.ts"

/** 404 `NotFound` under a request id (a UUID) of the server's making. */
export const foreignPathResponse = (requestId: string): ServiceResponse =>
  errorResponse(new NotFound({ message: "there is nothing at this path" }), requestId)
