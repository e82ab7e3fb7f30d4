/** Refuses requests of HTTP/1.1 that name no host (RFC 9112, section 3.2) in the form of other errors; Node's own refusal has no body and no id. */
import { randomUUID } from "node:crypto"
import type { RequestListener } from "node:http"
import { errorResponse, InvalidRequest } from "@sibyl/core"

/** The listener behind this check. The server must leave it to us: `requireHostHeader: false`. */
export const requireHost =
  (listener: RequestListener): RequestListener =>
  (request, response) => {
    // HTTP/1.0 knows no such header.
    if (request.httpVersion !== "1.1" || request.headers.host !== undefined) return listener(request, response)
    const { body, headers, status } = errorResponse(new InvalidRequest({ message: "the Host header is missing" }), randomUUID())
    response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body), connection: "close" }).end(body)
  }
