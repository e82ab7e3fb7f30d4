/** Answers to `HEAD`. */
import { fromUtf8 } from "../../domain/encoding/bytes.ts"
import type { ServiceResponse } from "./seam.ts"

/** The answer to a HEAD, errors included, has the content length of the GET but no body (RFC 9110, section 9.3.2); any other stays as it is. */
export const withoutBodyOfHead = <R extends ServiceResponse>(response: R, method: string): R => {
  if (method !== "HEAD") return response
  const { body, headers } = response
  const bytes = typeof body === "string" ? fromUtf8(body) : body
  return { ...response, headers: { "content-length": String(bytes.length), ...headers }, body: "" }
}
