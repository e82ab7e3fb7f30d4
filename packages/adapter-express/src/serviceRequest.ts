/** What the service sees of a Node request. */
import type { IncomingMessage } from "node:http"
import type { ServiceRequest } from "@sibyl/core"

/** A Node request as the service reads it; `url` is the part below the mount point. */
export const serviceRequest = (request: IncomingMessage, url: string, body: ServiceRequest["body"]): ServiceRequest => ({
  method: request.method ?? "GET",
  url,
  header: (name) => request.headers[name.toLowerCase()]?.toString(),
  body
})
