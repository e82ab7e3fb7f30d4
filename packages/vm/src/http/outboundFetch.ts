/** One outbound request from hop to hop until its final answer, within its time (decision D30). */
import type { OutboundRequest, OutboundResponse } from "@sibyl/core"
import { Either } from "effect"
import type { Connections } from "./connections.ts"
import { type Answer, exchange, type ExchangeEnd } from "./exchange.ts"
import { bindsConnection, programHeaders } from "./headerPolicy.ts"
import { followRedirect, type Hop, isAllowedMethod, maxRedirects, type Message, planHop } from "./hop.ts"
import type { OutboundPolicy } from "./outboundOptions.ts"

/** The longest time that timers take, in ms. */
const longestTimerMs = 2_147_483_647

/** Repeating these is harmless, so a kept-alive connection may be tried first. */
const isRepeatable = ({ method }: Message): boolean => /^(GET|HEAD|OPTIONS)$/.test(method)

/** The message that the program requested, or why it is refused. */
const firstMessage = (request: OutboundRequest): Either.Either<Message, string> =>
  isAllowedMethod(request.method)
    ? Either.map(programHeaders(request.headers), (headers) => ({
        url: request.url,
        method: request.method,
        headers,
        body: request.body
      }))
    : Either.left("outbound request refused: the method is not allowed")

const rejected = (message: string, timedOut = false): OutboundResponse => ({ kind: "rejected", message, timedOut })

const answered = (answer: Answer, { href }: URL): OutboundResponse => ({
  kind: "answered",
  status: answer.status,
  headers: [...answer.headers],
  bytes: answer.bytes,
  url: href,
  contentLength: answer.contentLength
})

/** A request under way. Plain callbacks: it waits for a socket nearly all the time, and there are many of them. */
class OutboundFetch {
  private readonly policy: OutboundPolicy
  private readonly connections: Connections
  private readonly request: OutboundRequest
  private readonly ended: (response: OutboundResponse) => void
  private readonly timer: NodeJS.Timeout
  private isOver = false
  private closeExchange: () => void = () => {}

  constructor(policy: OutboundPolicy, connections: Connections, request: OutboundRequest, ended: (response: OutboundResponse) => void) {
    this.policy = policy
    this.connections = connections
    this.request = request
    this.ended = ended
    const { timeoutMs } = request
    this.timer = setTimeout(() => this.expire(timeoutMs), Math.min(timeoutMs, longestTimerMs))
    this.next(firstMessage(request), 0)
  }

  /** Closes its connection; nothing is answered any more. */
  close(): void {
    if (this.isOver) return
    this.isOver = true
    clearTimeout(this.timer)
    this.closeExchange()
  }

  private expire(timeoutMs: number): void {
    this.close()
    this.ended(rejected(`HTTP fetch time limit exceeded (${timeoutMs}ms)`, true))
  }

  private end(response: OutboundResponse): void {
    this.isOver = true
    clearTimeout(this.timer)
    this.ended(response)
  }

  /** Every hop is planned, and so checked, separately. */
  private next(message: Either.Either<Message, string>, hops: number): void {
    if (Either.isLeft(message)) return this.end(rejected(message.left))
    if (hops > maxRedirects) return this.end(rejected(`outbound request failed: more than ${maxRedirects} redirects`))
    const hop = planHop(this.policy, message.right.url)
    if (Either.isLeft(hop)) return this.end(rejected(hop.left))
    this.send(hop.right, message.right, hops, !isRepeatable(message.right) || bindsConnection(message.right.headers))
  }

  private send(hop: Hop, message: Message, hops: number, fresh: boolean): void {
    this.closeExchange = exchange(this.connections, hop, message, this.request, fresh, (end) => this.received(end, hop, message, hops))
  }

  private received(end: ExchangeEnd, hop: Hop, message: Message, hops: number): void {
    if ("failure" in end) {
      if (end.failure.stale) this.send(hop, message, hops, true)
      else this.end(rejected(end.failure.message))
      return
    }
    const { location, status } = end.answer
    if (location === undefined) this.end(answered(end.answer, hop.url))
    else this.next(followRedirect(message, hop.url, status, location), hops + 1)
  }
}

/** Sends a request. `ended` is called once, unless the returned function is called before, which closes the connection. */
export const outboundFetch = (
  policy: OutboundPolicy,
  connections: Connections,
  request: OutboundRequest,
  ended: (response: OutboundResponse) => void
): (() => void) => {
  const fetch = new OutboundFetch(policy, connections, request, ended)
  return () => fetch.close()
}
