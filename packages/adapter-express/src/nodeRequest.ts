/** A Node request as a `ServiceRequest`. */
import { setMaxListeners } from "node:events"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { ServiceRequest } from "@sibyl/core"

/** Every value of a header; of headers that may occur only once, Node itself exposes just the first. */
const valuesOf = (rawHeaders: ReadonlyArray<string>, wanted: string): ReadonlyArray<string> => {
  const values: Array<string> = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name?.length === wanted.length && name.toLowerCase() === wanted) values.push(rawHeaders[at + 1] ?? "")
  }
  return values
}

const signals = new WeakMap<Socket | ServerResponse, AbortSignal>()

/** One for all requests of a connection: making one takes longer than answering a small request. Pipelined ones listen at the same time. */
const newSignal = (end: Socket | ServerResponse): AbortSignal => {
  const left = new AbortController()
  setMaxListeners(0, left.signal)
  end.once("close", () => left.abort())
  if (end.destroyed) left.abort()
  signals.set(end, left.signal)
  return left.signal
}

/** A Node request as the service reads it; `url` is the part below the mount point. */
export class NodeRequest implements ServiceRequest {
  readonly method: string
  readonly url: string
  readonly body: ServiceRequest["body"]
  readonly #request: IncomingMessage
  readonly #response: ServerResponse | undefined

  constructor(request: IncomingMessage, url: string, body: ServiceRequest["body"], response?: ServerResponse) {
    this.method = request.method ?? "GET"
    this.url = url
    this.body = body
    this.#request = request
    this.#response = response
  }

  readonly header = (name: string): string | undefined => {
    const { headers, rawHeaders } = this.#request
    const wanted = name.toLowerCase()
    const value = headers[wanted]
    if (typeof value !== "string") return value?.toString()
    const [first, ...more] = valuesOf(rawHeaders, wanted)
    // Middleware may have set a value of its own.
    return more.length > 0 && first === value ? [first, ...more].join(", ") : value
  }

  /** Requests of HTTP/2 share their connection, and can end without it. */
  get signal(): AbortSignal {
    const { httpVersionMajor, socket } = this.#request
    const end = httpVersionMajor === 1 ? socket : (this.#response ?? socket)
    return signals.get(end) ?? newSignal(end)
  }
}
