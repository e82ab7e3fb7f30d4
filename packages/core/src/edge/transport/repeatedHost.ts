/** Refuses a request with two Host headers (RFC 9112, section 3.2): a proxy in front may have used the other one. */
import { InvalidRequest } from "../../contract/errors.ts"
import type { ServiceRequest } from "./seam.ts"

/** Whether there are several Host headers. If an adapter throws here, the request fails later and is answered there. */
export const hasRepeatedHost = (request: ServiceRequest): boolean => {
  try {
    return request.header("host")?.includes(",") === true
  } catch {
    return false
  }
}

/** The answer to such a request. */
export const repeatedHost = new InvalidRequest({ message: "the Host header must stand once" })
