/** What the service sees of a Node request. */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { ServiceRequest } from "@sibyl/core"

/** A Node request as the service reads it; `url` is the part below the mount point. */
export class NodeRequest implements ServiceRequest {
  readonly method: string
  readonly url: string
  readonly body: ServiceRequest["body"]
  readonly #request: IncomingMessage
  readonly #response: ServerResponse | undefined
  #left: AbortController | undefined

  /** Without a response nobody is watched: an upgrade request has none. */
  constructor(request: IncomingMessage, url: string, body: ServiceRequest["body"], response?: ServerResponse) {
    this.method = request.method ?? "GET"
    this.url = url
    this.body = body
    this.#request = request
    this.#response = response
  }

  readonly header = (name: string): string | undefined => {
    const value = this.#request.headers[name] ?? this.#request.headers[name.toLowerCase()]
    return typeof value === "object" ? value.toString() : value
  }

  /** Made when the service asks for it: many an answer is there before anyone could have left. */
  get signal(): AbortSignal {
    if (this.#left !== undefined) return this.#left.signal
    const left = (this.#left = new AbortController())
    const response = this.#response
    response?.once("close", () => response.writableFinished || left.abort())
    if (response?.destroyed === true && !response.writableFinished) left.abort()
    return left.signal
  }
}
