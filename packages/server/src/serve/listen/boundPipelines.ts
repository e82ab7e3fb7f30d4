/**
 * Requests that a connection has written ahead of their answers: the first is answered at once, the others a few in each turn of the event
 * loop, one connection after the other, so that everybody else has turns, too.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import type { Socket } from "node:net"

/** How many requests of one connection are under way at once. Answers go out in order, so that more would only wait in memory. */
export const mostAhead = 16

/** How many requests that were written ahead begin in one turn of the event loop, of all connections together: a few milliseconds of work. */
export const mostInATurn = 32

/** How many requests wait in memory, of all connections together; each takes some two kilobytes. Who writes ahead beyond them is cut off. */
export const mostHeld = 20_000

/** Connections whose next request may begin. */
class Turns {
  /** Requests that wait, of all connections. */
  held = 0
  readonly #due = new Set<Pipeline>()
  #isComing = false

  /** In the order in which they come, each once. */
  add(pipeline: Pipeline): void {
    this.#due.add(pipeline)
    if (this.#isComing) return
    this.#isComing = true
    setImmediate(() => this.#go())
  }

  #go(): void {
    let left = mostInATurn
    // Those that are added meanwhile come last.
    for (const pipeline of this.#due) {
      if (left === 0) break
      this.#due.delete(pipeline)
      if (pipeline.beginNext()) left -= 1
    }
    this.#isComing = this.#due.size > 0
    if (this.#isComing) setImmediate(() => this.#go())
  }
}

/** What one connection has asked. */
class Pipeline {
  /** Of requests under way, in their order; those in front may be over. */
  readonly #underWay: Array<ServerResponse> = []
  readonly #held: Array<readonly [IncomingMessage, ServerResponse]> = []
  readonly #socket: Socket
  readonly #listener: RequestListener
  readonly #turns: Turns
  /** The answer whose end is awaited. */
  #awaited: ServerResponse | undefined
  #isWatched = false

  constructor(socket: Socket, listener: RequestListener, turns: Turns) {
    this.#socket = socket
    this.#listener = listener
    this.#turns = turns
  }

  /** One read may have brought hundreds: they are held, and nothing more is read. */
  add(request: IncomingMessage, response: ServerResponse): void {
    // What was read before it was cut off comes nevertheless.
    if (this.#socket.destroyed) return
    this.#forgetSent()
    if (this.#held.length === 0 && this.#underWay.length === 0) return this.#begin(request, response)
    if (this.#turns.held >= mostHeld && this.#held.length >= mostAhead) return void this.#socket.destroy()
    this.#held.push([request, response])
    this.#turns.held += 1
    if (!this.#isWatched) this.#watch()
    if (this.#held.length >= mostAhead) this.#socket.pause()
    this.#goOn()
  }

  /** Whether its next request may begin: not behind answers that its client does not take. */
  get isDue(): boolean {
    return this.#held.length > 0 && this.#underWay.length < mostAhead && !this.#socket.writableNeedDrain && !this.#socket.destroyed
  }

  /** Begins the next request, if it still may. */
  beginNext(): boolean {
    const next = this.isDue ? this.#held.shift() : undefined
    if (next === undefined) return false
    this.#turns.held -= 1
    if (this.#held.length === 0) this.#socket.resume()
    this.#begin(...next)
    this.#goOn()
    return true
  }

  #begin(request: IncomingMessage, response: ServerResponse): void {
    this.#underWay.push(response)
    this.#listener(request, response)
  }

  /** Answers are sent in order. */
  #forgetSent(): void {
    while (this.#underWay[0]?.writableFinished === true) this.#underWay.shift()
  }

  #watch(): void {
    this.#isWatched = true
    // Whoever reads a body resumes its connection. Of requests that others follow, the whole body is there.
    this.#socket.on("resume", () => {
      if (this.#held.length >= mostAhead) this.#socket.pause()
    })
    this.#socket.on("drain", () => this.#goOn())
    this.#socket.once("close", () => {
      this.#turns.held -= this.#held.length
      this.#held.length = 0
    })
  }

  /** Takes its turn, and hears when the answer in front has been sent. */
  #goOn(): void {
    this.#forgetSent()
    if (this.isDue) this.#turns.add(this)
    const [front] = this.#underWay
    if (this.#held.length === 0 || front === undefined || front === this.#awaited) return
    this.#awaited = front
    front.once("close", () => this.#goOn())
  }
}

/** The same listener, with a bound for each connection, and turns for all of them. */
export const boundPipelines = (listener: RequestListener): RequestListener => {
  const pipelines = new WeakMap<Socket, Pipeline>()
  const turns = new Turns()
  return (request, response) => {
    const { socket } = request
    const known = pipelines.get(socket)
    const pipeline = known ?? new Pipeline(socket, listener, turns)
    if (known === undefined) pipelines.set(socket, pipeline)
    pipeline.add(request, response)
  }
}
