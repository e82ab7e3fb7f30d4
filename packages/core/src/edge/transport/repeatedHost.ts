/** A request that names two hosts (RFC 9112, section 3.2): what stands in front may have believed the other one. */
import { InvalidRequest } from "../../contract/errors.ts"
import type { ServiceRequest } from "./seam.ts"

/** Whether the Host header stands several times. An adapter that cannot read it is found out, and answered, further down. */
export const hasRepeatedHost = (request: ServiceRequest): boolean => {
  try {
    return request.header("host")?.includes(",") === true
  } catch {
    return false
  }
}

/** What such a request is told. */
export const repeatedHost = new InvalidRequest({ message: "the Host header must stand once" })
