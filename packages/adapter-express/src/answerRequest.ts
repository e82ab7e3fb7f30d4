/** Answers a request of Node's HTTP server, whoever routed it. */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { AnswerRequest, ServiceResponse } from "@sibyl/core"
import { NodeRequest } from "./nodeRequest.ts"
import { readBody, tooLarge } from "./readBody.ts"

/** A request, and where it is answered. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Path and query below the mount point. */
  readonly url: string
  /** What somebody has read of the body before. */
  readonly parsedBody?: () => Uint8Array | undefined
  /** Called if the path is not the service's: then nothing was read or written. */
  readonly elsewhere: () => void
}

const write = (answer: ServiceResponse | undefined, { elsewhere, response }: Exchange): void => {
  if (answer === undefined) return elsewhere()
  if (response.headersSent || response.destroyed) return
  // The answer to a HEAD states the length of the body that a GET would have.
  response.writeHead(answer.status, { "content-length": Buffer.byteLength(answer.body), ...answer.headers }).end(answer.body)
}

/** Answers a request, before it returns if the answer is at hand. A service does not reject. */
export const answerRequest = (answer: AnswerRequest, exchange: Exchange): Promise<void> | void => {
  const { parsedBody, request, response, url } = exchange
  const body = async (maxBytes: number): Promise<Uint8Array> => {
    const bytes = parsedBody?.() ?? (await readBody(request, maxBytes))
    if (bytes.byteLength > maxBytes) throw tooLarge(maxBytes)
    return bytes
  }
  const answering = answer(new NodeRequest(request, url, body, response))
  return answering instanceof Promise ? answering.then((coming) => write(coming, exchange)) : write(answering, exchange)
}
