/** Answers a request of Node's HTTP server, whoever routed it. */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Service } from "@sibyl/core"
import { NodeRequest } from "./nodeRequest.ts"
import { readBody, tooLarge } from "./readBody.ts"

/** A request, and where it is answered. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Path and query below the mount point. */
  readonly url: string
}

/** False if the path is not the service's: then nothing was read or written. `parsedBody` is what somebody has read before. */
export const answerRequest = async (
  service: Service,
  { request, response, url }: Exchange,
  parsedBody?: () => Uint8Array | undefined
): Promise<boolean> => {
  const body = async (maxBytes: number): Promise<Uint8Array> => {
    const bytes = parsedBody?.() ?? (await readBody(request, maxBytes))
    if (bytes.byteLength > maxBytes) throw tooLarge(maxBytes)
    return bytes
  }
  const answer = await service.fetch(new NodeRequest(request, url, body, response))
  if (answer === undefined) return false
  if (response.headersSent || response.destroyed) return true
  // The answer to a HEAD states the length of the body that a GET would have.
  const { body: bytes, headers, status } = answer
  response.writeHead(status, { "content-length": Buffer.byteLength(bytes), ...headers })
  response.end(bytes)
  return true
}
