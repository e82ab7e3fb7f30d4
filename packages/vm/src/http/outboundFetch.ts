/** One outbound request from hop to hop until its final answer, within its time (decision D30). */
import type { OutboundRequest, OutboundResponse, RejectedRequest } from "@sibyl/core"
import { Either } from "effect"
import type { Answer } from "./exchange.ts"
import { bindsConnection, programHeaders } from "./headerPolicy.ts"
import { type HopEnd, hopExchange, type SharedWays } from "./hopExchange.ts"
import { followRedirect, type Hop, isAllowedMethod, maxRedirects, type Message, planHop } from "./hop.ts"
import type { OutboundPolicy } from "./outboundOptions.ts"

/** The longest time that timers take, in ms. */
const longestTimerMs = 2_147_483_647

/** A timer that is later than this, in ms, tells of a process that stood still. */
const standstillMs = 100

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

const rejected = (message: string, timedOut = false): RejectedRequest => ({ kind: "rejected", message, timedOut })

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
  private readonly ways: SharedWays
  private readonly request: OutboundRequest
  private readonly ended: (response: OutboundResponse) => void
  private readonly timer: NodeJS.Timeout
  private isOver = false
  private closeExchange: (hasTimedOut: boolean) => void = () => {}

  constructor(policy: OutboundPolicy, ways: SharedWays, request: OutboundRequest, ended: (response: OutboundResponse) => void) {
    this.policy = policy
    this.ways = ways
    this.request = request
    this.ended = ended
    const waitMs = Math.min(request.timeoutMs, longestTimerMs)
    const dueMs = performance.now() + waitMs
    this.timer = setTimeout(() => this.expire(performance.now() - dueMs), waitMs)
    this.next(firstMessage(request), 0)
  }

  /** Closes its connection; nothing is answered any more. */
  close(hasTimedOut = false): void {
    if (this.isOver) return
    this.isOver = true
    clearTimeout(this.timer)
    this.closeExchange(hasTimedOut)
  }

  /** If its timer is late, this process has stood still, and an answer may lie unread: the host has not failed. */
  private expire(lateMs: number): void {
    this.close(lateMs < standstillMs)
    this.ended(rejected(`HTTP fetch time limit exceeded (${this.request.timeoutMs}ms)`, true))
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
    const hop = planHop(this.policy, message.right.url, this.request.allowedHosts)
    if (Either.isLeft(hop)) return this.end(rejected(hop.left))
    this.send(hop.right, message.right, hops, !isRepeatable(message.right) || bindsConnection(message.right.headers))
  }

  private send(hop: Hop, message: Message, hops: number, fresh: boolean): void {
    this.closeExchange = hopExchange(this.ways, hop, message, this.request, fresh, (end) => this.received(end, hop, message, hops))
  }

  private received(end: HopEnd, hop: Hop, message: Message, hops: number): void {
    if ("refusal" in end) {
      const { isResting, refusal } = end
      return this.end({ ...rejected(refusal), ...(isResting ? { isResting } : {}) })
    }
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
  ways: SharedWays,
  request: OutboundRequest,
  ended: (response: OutboundResponse) => void
): (() => void) => {
  const fetch = new OutboundFetch(policy, ways, request, ended)
  return () => fetch.close()
}
