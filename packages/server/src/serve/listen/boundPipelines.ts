/** Requests that a connection has written ahead of their answers: a few are answered at once, so that other connections have their turns. */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import type { Socket } from "node:net"

/** How many requests of one connection are under way at once. Answers go out in order, so that more would only wait in memory. */
export const mostAhead = 16

/** What one connection has asked. */
class Pipeline {
  /** Of requests under way, in their order; those in front may be over. */
  readonly #underWay: Array<ServerResponse> = []
  readonly #held: Array<readonly [IncomingMessage, ServerResponse]> = []
  readonly #socket: Socket
  readonly #listener: RequestListener
  #isWatched = false

  constructor(socket: Socket, listener: RequestListener) {
    this.#socket = socket
    this.#listener = listener
  }

  /** One read may have brought hundreds: those are held, and nothing more is read. */
  add(request: IncomingMessage, response: ServerResponse): void {
    this.#forgetSent()
    if (this.#held.length === 0 && this.#underWay.length < mostAhead) return this.#begin(request, response)
    if (this.#held.length === 0) this.#await()
    this.#held.push([request, response])
    this.#socket.pause()
    if (this.#isWatched) return
    this.#isWatched = true
    // Whoever reads a body resumes its connection. Of requests that others follow, the whole body is there.
    this.#socket.on("resume", () => {
      if (this.#held.length > 0) this.#socket.pause()
    })
  }

  #begin(request: IncomingMessage, response: ServerResponse): void {
    this.#underWay.push(response)
    this.#listener(request, response)
  }

  /** Answers are sent in order. */
  #forgetSent(): void {
    while (this.#underWay[0]?.writableFinished === true) this.#underWay.shift()
  }

  #await(): void {
    this.#underWay[0]?.once("close", () => this.#goOn())
  }

  #goOn(): void {
    if (this.#socket.destroyed) return void this.#held.splice(0)
    this.#forgetSent()
    while (this.#underWay.length < mostAhead) {
      const next = this.#held.shift()
      if (next === undefined) break
      this.#begin(...next)
    }
    if (this.#held.length > 0) this.#await()
    else this.#socket.resume()
  }
}

/** The same listener, with a bound for each connection. */
export const boundPipelines = (listener: RequestListener): RequestListener => {
  const pipelines = new WeakMap<Socket, Pipeline>()
  return (request, response) => {
    const { socket } = request
    const known = pipelines.get(socket)
    const pipeline = known ?? new Pipeline(socket, listener)
    if (known === undefined) pipelines.set(socket, pipeline)
    pipeline.add(request, response)
  }
}
