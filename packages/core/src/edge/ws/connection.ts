/** One open WebSocket, from its first message to its last: requests, replies, feeds, liveness, end (decisions D16 to D18, D41). */
import { Cause, Effect, Exit, type Fiber } from "effect"
import type { ClosedConnection } from "./closedLine.ts"
import { type Failure, Overloaded } from "../../contract/errors.ts"
import { TransientMap } from "../../domain/encoding/transientMap.ts"
import type { Limits } from "../../domain/settings/limits.ts"
import { metricList } from "../../ports/metrics/metricList.ts"
import type { Measuring } from "../../ports/metrics/metrics.ts"
import type { ResolvedPrincipal } from "../../domain/accounts/project.ts"
import { afterRefusal, type Allowance, charsOfARefusal, freshAllowance, refusedMessages, refusedRuns } from "../../domain/runs/allowance.ts"
import { ConnectionFeeds, type FeedSources } from "./connectionFeeds.ts"
import { type Closing, closings, cutLabels } from "./closing.ts"
import { failureIn } from "../execution/failureIn.ts"
import { causeWhile } from "../execution/portInterrupted.ts"
import { guardedSocket } from "./guardedSocket.ts"
import { Inbox } from "./inbox.ts"
import { freshKeepalive, type Keepalive, keepaliveStep, withPong } from "./keepalive.ts"
import { isLongerThan } from "./messageBytes.ts"
import { Outbox } from "./outbox.ts"
import { type Backpressure, backpressureStep } from "./backpressure.ts"
import type { LongMessages } from "./longMessages.ts"
import { type ParseError, type RpcCall, readRpcMessage } from "./rpcMessage.ts"
import { type Caller, callMethod, type RpcAnswer, type RpcServices } from "./rpcMethods.ts"
import { failureOutcome, replyText } from "./rpcView.ts"
import type { Peer, Socket } from "../transport/seam.ts"
import { workOnlyOf } from "../../services/fibers/workOwner.ts"

/** How long a client may take to answer a close before its connection is cut. */
const closeGraceMs = 2_000

const closing = new Overloaded({ message: "the service is closing" })

const tooMany = new Overloaded({ message: "too many requests of this connection are not answered yet" })

/** No run is started while the client is not reading. */
const unread = new Overloaded({ message: "results of this connection wait to be read; nothing ran" })

/** What a connection needs of the service. */
export interface ConnectionHost {
  readonly fork: <A, E>(effect: Effect.Effect<A, E, RpcServices>) => Fiber.RuntimeFiber<A, E>
  readonly feeds: FeedSources
  readonly metrics: Measuring
  /** The monotonic clock. */
  readonly nowMs: () => number
  /** Calls back in another turn of the event loop. */
  readonly nextTurn: (then: () => void) => void
  readonly longMessages: LongMessages
  /** Called once, when the connection is over. */
  readonly forget: (connection: Connection) => void
  /** Logs the details of a fault that the client is not told. */
  readonly logFault: (what: string, cause: Cause.Cause<Failure>) => void
  /** Logs that the service closes a connection, but for one of all that it closes when it ends. */
  readonly logClosed: (closed: ClosedConnection) => void
}

/** One connection. It answers each request exactly once, as long as it is open. */
export class Connection implements Peer {
  readonly #host: ConnectionHost
  readonly #socket: Socket
  readonly #outbox: Outbox
  readonly #inbox: Inbox
  readonly #feeds: ConnectionFeeds
  /** Shared by all requests: a closure per request would keep the request's fiber alive as long as a feed that it starts. */
  readonly #caller: Caller
  readonly #requests = new TransientMap<number, Fiber.RuntimeFiber<RpcAnswer, Failure>>()
  #principal: ResolvedPrincipal
  #keepalive: Keepalive
  #tickedAtMs: number
  #backpressure: Backpressure
  /** For invalid messages, and for requests beyond the limits. */
  #messageAllowance: Allowance
  /** For refused runs of feeds. */
  #runAllowance: Allowance
  /** When the service sent its close frame, if it did. */
  #closingSinceMs: number | undefined
  #over = false
  /** Set when the service is ending: how to close once everything in flight is answered. */
  #farewell: readonly [closing: Closing, reason: string] | undefined

  /** Opens it and sends `authorized` first. */
  constructor(host: ConnectionHost, socket: Socket, principal: ResolvedPrincipal, authorized: string) {
    this.#host = host
    this.#socket = guardedSocket(socket, (error) => this.#broken(error))
    this.#principal = principal
    this.#tickedAtMs = host.nowMs()
    this.#keepalive = freshKeepalive(this.#tickedAtMs)
    this.#outbox = new Outbox(this.#socket, (messages) => {
      host.metrics.add(metricList.framesSent, messages)
      this.#checkBackpressure()
    })
    this.#inbox = new Inbox((text) => this.#read(text), host.nextTurn, host.longMessages)
    this.#messageAllowance = freshAllowance(refusedMessages, host.nowMs())
    this.#runAllowance = freshAllowance(refusedRuns, host.nowMs())
    this.#feeds = new ConnectionFeeds(host.feeds, {
      maxFeeds: () => this.#limits.feedsPerConnection,
      maxRuns: () => this.#limits.runsPerProject,
      enqueue: (text) => this.#outbox.enqueue(text),
      sendShared: (message) => this.#outbox.sendShared(message),
      mayRead: () => this.#backpressure === undefined,
      mayStart: () => this.#backpressure === undefined && afterRefusal(this.#runAllowance, refusedRuns, host.nowMs()).left >= 0,
      refused: () => {
        this.#runAllowance = afterRefusal(this.#runAllowance, refusedRuns, host.nowMs())
      }
    })
    this.#caller = { principal: () => this.#principal, feeds: this.#feeds }
    this.#outbox.enqueue(authorized)
  }

  get principal(): ResolvedPrincipal {
    return this.#principal
  }

  /** The key's project may change while the connection is open. */
  set principal(principal: ResolvedPrincipal) {
    this.#principal = principal
  }

  /** The current limits of the key's project. */
  get #limits(): Limits {
    return this.#principal.project.limits
  }

  /** What is sent and not yet taken by the client. */
  get bufferedBytes(): number {
    return this.#isEnding ? 0 : this.#socket.bufferedAmount()
  }

  get feedCount(): number {
    return this.#feeds.size
  }

  message(frame: string | Uint8Array): void {
    this.#host.metrics.add(metricList.framesReceived, 1)
    if (this.#isEnding) return
    if (typeof frame !== "string") return this.close(closings.binary, "only text frames are understood")
    if (isLongerThan(frame, this.#limits.requestBytes)) return this.close(closings.tooLarge, "the message is too large")
    if (!this.#inbox.take(frame)) this.close(closings.flood, "more messages than can be read are waiting")
  }

  pong(): void {
    this.#keepalive = withPong(this.#keepalive)
  }

  drain(): void {
    this.#checkBackpressure()
  }

  closed(): void {
    if (this.#over) return
    this.#over = true
    this.#outbox.close()
    this.#inbox.close()
    this.#endWork()
    this.#host.forget(this)
  }

  /** Sends a close frame. Nothing is started or sent after it, and a client that does not answer it is cut off. */
  close({ code, label }: Closing, reason: string): void {
    if (this.#isEnding) return
    this.#host.metrics.add(metricList.connectionsClosed, 1, label)
    // Set first: the flush checks backpressure, which must not close the connection a second time.
    this.#closingSinceMs = this.#host.nowMs()
    if (code !== closings.shutdown.code) this.#logClosed(code, reason)
    this.#outbox.flush()
    this.#outbox.close()
    this.#inbox.close()
    this.#endWork()
    this.#socket.close(code, reason)
  }

  /** Starts nothing more, answers what is in flight, and then closes. */
  retire(closing: Closing, reason: string): void {
    this.#farewell = [closing, reason]
    this.#feeds.retire()
    this.#leaveWhenAnswered()
  }

  /** Checks the connection; called several times a second. */
  tick(): void {
    const nowMs = this.#host.nowMs()
    const sinceTickMs = nowMs - this.#tickedAtMs
    this.#tickedAtMs = nowMs
    if (this.#over) return
    this.#leaveWhenAnswered()
    if (this.#closingSinceMs !== undefined) {
      if (nowMs - this.#closingSinceMs >= closeGraceMs) this.#cut()
      return
    }
    this.#checkBackpressure()
    const step = keepaliveStep(this.#keepalive, nowMs, this.#limits.pingIntervalMs, sinceTickMs)
    if (step.kind === "dead") {
      this.#logClosed(undefined, "a ping was not answered")
      this.#host.metrics.add(metricList.connectionsClosed, 1, cutLabels.noPong)
      return this.#cut()
    }
    if (step.kind === "wait") return
    this.#keepalive = step.next
    if (step.kind === "ping") this.#socket.ping()
  }

  get #isEnding(): boolean {
    return this.#over || this.#closingSinceMs !== undefined
  }

  #logClosed(code: number | undefined, reason: string): void {
    const [feeds, waitingBytes] = [this.#feeds.size, this.#socket.bufferedAmount()]
    this.#host.logClosed({ principal: this.#principal, code, reason, feeds, waitingBytes })
  }

  #leaveWhenAnswered(): void {
    if (this.#farewell === undefined || this.#requests.size > 0 || this.#feeds.isRunning || !this.#inbox.isEmpty) return
    this.close(...this.#farewell)
  }

  /** The runtime may report `closed` late or never after this, so the connection counts as closed now. */
  #cut(): void {
    this.closed()
    this.#socket.terminate()
  }

  #broken(error: unknown): void {
    if (this.#over) return
    this.#host.logFault("a socket of the adapter", Cause.die(error))
    if (!this.#isEnding) this.#host.metrics.add(metricList.connectionsClosed, 1, cutLabels.broken)
    this.#cut()
  }

  #endWork(): void {
    this.#feeds.end()
    // Their executions go on and are charged; only the replies are dropped.
    for (const fiber of this.#requests.values()) fiber.unsafeInterruptAsFork(fiber.id())
    this.#requests.clear()
  }

  #checkBackpressure(): void {
    if (this.#isEnding) return
    const step = backpressureStep(this.#backpressure, this.#socket.bufferedAmount(), this.#host.nowMs(), this.#limits)
    if ("tooSlow" in step) return this.close(closings.slowReader, step.tooSlow)
    this.#backpressure = step.backpressure
  }

  #read(text: string): void {
    if (this.#isEnding) return
    const read = readRpcMessage(text)
    if (read._tag === "Left") this.#refuse(read.left.id, read.left.failure, text.length)
    else this.#request(read.right, text.length)
  }

  /** A refusal costs the client no credits, so refusals are limited: beyond the allowance the connection is closed. */
  #refuse(id: string | null, failure: Failure | ParseError, chars: number): void {
    this.#outbox.enqueue(replyText(id, failureOutcome(failure)))
    const weight = 1 + chars / charsOfARefusal
    this.#messageAllowance = afterRefusal(this.#messageAllowance, refusedMessages, this.#host.nowMs(), weight)
    if (this.#messageAllowance.left < 0) this.close(closings.flood, "too many messages that had to be refused")
  }

  #request(call: RpcCall, chars: number): void {
    if (this.#farewell !== undefined) return this.#refuse(call.id, closing, chars)
    if (this.#requests.size >= this.#limits.requestsPerConnection) return this.#refuse(call.id, tooMany, chars)
    if (this.#backpressure !== undefined && call.method === "feed.execute") return this.#refuse(call.id, unread, chars)
    // Without the yield, the messages of all sockets would be handled in one turn of the event loop; the scheduler ends a turn in time.
    const work = Effect.zipRight(Effect.yieldNow(), callMethod(call, this.#caller))
    const fiber = this.#host.fork(workOnlyOf(this.#principal.project.projectId, work))
    this.#requests.set(fiber.id().id, fiber)
    fiber.addObserver((exit) => {
      this.#requests.delete(fiber.id().id)
      if (!this.#isEnding) this.#reply(call.id, exit)
    })
  }

  #failureOf(cause: Cause.Cause<Failure>): Failure {
    const told = causeWhile(this.#farewell === undefined, cause)
    this.#host.logFault("a WebSocket request", told)
    return failureIn(told)
  }

  #reply(id: string, exit: Exit.Exit<RpcAnswer, Failure>): void {
    if (Exit.isSuccess(exit)) {
      this.#outbox.enqueue(replyText(id, exit.value.outcome))
      exit.value.afterwards?.()
      return
    }
    this.#outbox.enqueue(replyText(id, failureOutcome(this.#failureOf(exit.cause))))
  }
}
