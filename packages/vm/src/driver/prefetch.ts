/** The prefetched requests of one run: those of the previous run, made before the program asks for them (decision "Prefetch"). */
import { HttpFetch, type OutboundResponse, type PhaseRequest, type PrefetchUse } from "@sibyl/core"
import { Clock, Context, Effect, Exit, Fiber } from "effect"
import type { ReadingRoom } from "../http/answerBytes.ts"
import { decodeFetchAction, type FetchAction } from "../tape/fetchAction.ts"
import { failedFetch } from "../tape/promiseJson.ts"
import type { AnsweredCall, FetchAnswer } from "../tape/tape.ts"
import { answersAhead, type ExpectedCall, isGood, isUsable } from "./answersAhead.ts"
import { fetchOutside, settled, timeLimitOf } from "./fetchOutside.ts"
import { askerOf, type FetchRoom } from "./fetchRoom.ts"
import type { MadeRequest, PastRequest } from "./pastRequests.ts"
import type { RunCaller } from "./runCaller.ts"

/** Memory reserved for an answer: twice its size in the previous run, but at least this, because a connection takes some too. */
const leastAnswerBytes = 32_768

/** The longest time that timers take, in ms. */
const longestTimerMs = 2_147_483_647

/** How many requests of one run are remembered, and how many bytes of them. */
const [maxMade, maxMadeBytes] = [64, 65_536]

/** A prefetched request that the program has not asked for yet. */
class Attempt implements ExpectedCall {
  readonly action: Uint8Array
  readonly request: FetchAction
  readonly text: string
  readonly fiber: Fiber.RuntimeFiber<OutboundResponse>
  /** The memory reserved for its answer. */
  readonly bytes: number
  arrival: ExpectedCall["arrival"]
  /** How much of the call's time limit is over already, because its run waited for it. */
  waitedMs = 0
  /** Called when it has ended. */
  onArrival: (() => void) | undefined

  constructor(text: string, call: FetchCall, bytes: number, fiber: Fiber.RuntimeFiber<OutboundResponse>, clock: Clock.Clock) {
    this.text = text
    this.action = call.action
    this.request = call.request
    this.bytes = bytes
    this.fiber = fiber
    fiber.addObserver((exit) => {
      this.arrival = Exit.isSuccess(exit) ? { response: exit.value, atMs: clock.unsafeCurrentTimeMillis() } : "failed"
      this.onArrival?.()
    })
  }
}

/** A call of `http_fetch`. */
export interface FetchCall {
  readonly action: Uint8Array
  readonly request: FetchAction
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1")

/** A safe method: the request changes nothing outside (RFC 9110, section 9.2.1). */
const isSafe = ({ method }: FetchAction): boolean => /^(GET|HEAD|OPTIONS)$/.test(method)

const isRemembered = ({ body, method }: FetchAction): boolean => /^(GET|HEAD)$/.test(method) && body.length === 0

/** Waits for an attempt to end, for at most so many ms. */
const ended = ({ fiber }: Attempt, limitMs: number): Effect.Effect<unknown> =>
  Effect.suspend(() => (fiber.unsafePoll() === null ? Effect.timeoutOption(Fiber.await(fiber), limitMs) : Effect.void))

/**
 * Prefetches the expected requests of one run. Each answer is given to one call with exactly the same action. If the
 * prefetched request failed or its answer cannot be used, the call makes the request itself.
 */
export class Prefetch {
  private readonly request: PhaseRequest
  private readonly room: ReadingRoom
  private readonly caller: RunCaller
  private readonly waiting: Array<PastRequest>
  /** In the order in which they are expected to be asked for. */
  private readonly attempts: Array<Attempt> = []
  private requested = 0
  private taken = 0
  private used = 0
  private readonly calls: Array<MadeRequest> = []
  private callBytes = 0
  /** Set once the program may have changed something outside: earlier answers would show the state before it. */
  private isOver = false
  /** Whether the first pass should wait for the answers. */
  readonly isAwaited: boolean
  /** How long a worker took for the last pass, in ms. */
  passMs = 0

  constructor(request: PhaseRequest, expected: ReadonlyArray<PastRequest>, room: ReadingRoom, caller: RunCaller, isAwaited = false) {
    this.request = request
    this.isAwaited = isAwaited
    this.room = room
    this.caller = caller
    this.waiting = [...expected]
  }

  /** The requests of this run that may be prefetched for the next one. */
  get made(): ReadonlyArray<MadeRequest> {
    return this.calls
  }

  /** Prefetched requests that the program has not asked for. */
  get missed(): number {
    return this.requested - this.taken
  }

  /** How many were prefetched and used; undefined if none was. */
  get use(): PrefetchUse | undefined {
    return this.requested === 0 ? undefined : { requested: this.requested, used: this.used }
  }

  /** Sends as many requests as may be outstanding and as there is memory for. */
  start(): void {
    const { limits, projectId } = this.request
    while (this.attempts.length < limits.httpPrefetches) {
      const next = this.waiting[0]
      if (next === undefined) return
      const bytes = Math.min(limits.httpResponseBytes, Math.max(leastAnswerBytes, 2 * next.answerBytes))
      if (!this.room.take(projectId, bytes)) return
      this.waiting.shift()
      this.attempt(next, bytes)
    }
  }

  /**
   * Waits until a program that makes the expected requests one after the other would have the answers to all that were
   * sent, or not get one; for at most so many ms. `done` is called with the answers for the calls from now on.
   * What is returned gives the waiting up.
   */
  awaitAnswers(room: FetchRoom, mostMs: number, done: (answers: ReadonlyArray<AnsweredCall>) => void): Effect.Effect<void> {
    const startMs = this.caller.clock.unsafeCurrentTimeMillis()
    let timer: NodeJS.Timeout | undefined
    let awaited: Attempt | undefined
    const look = (): void => {
      clearTimeout(timer)
      if (awaited !== undefined) awaited.onArrival = undefined
      const { answers, missing } = answersAhead(this.attempts, room, startMs)
      awaited = missing === undefined ? undefined : this.attempts[answers.length]
      if (awaited === undefined || missing === undefined) return done(answers)
      const nowMs = this.caller.clock.unsafeCurrentTimeMillis()
      const leftMs = Math.min(missing.untilMs, startMs + mostMs) - nowMs
      if (leftMs <= 0) {
        awaited.waitedMs = Math.max(0, nowMs - missing.calledAtMs)
        return done(answers)
      }
      timer = setTimeout(look, Math.min(leftMs, longestTimerMs))
      awaited.onArrival = look
    }
    look()
    return Effect.sync(() => {
      clearTimeout(timer)
      if (awaited !== undefined) awaited.onArrival = undefined
    })
  }

  /** The answers for the calls from `nowMs` on that have arrived. */
  answers(room: FetchRoom, nowMs: number): ReadonlyArray<AnsweredCall> {
    return this.attempts.length === 0 ? [] : answersAhead(this.attempts, room, nowMs).answers
  }

  /** A pass has taken a worker so many ms, and its next calls got these answers. */
  passed(elapsedMs: number, answers: ReadonlyArray<AnsweredCall>): void {
    this.passMs = elapsedMs
    for (const { answer, kind } of answers) {
      const attempt = this.attempts[0]
      if (attempt === undefined || kind !== "fetch") return
      this.leave(attempt)
      this.used += 1
      this.remember(attempt.text, attempt.request, answer)
    }
    if (answers.length > 0) this.start()
  }

  /** The answer to a call, from the prefetched request if there is one. */
  fetch(call: FetchCall, room: FetchRoom): Effect.Effect<FetchAnswer, never, HttpFetch> {
    return Effect.suspend(() => {
      const { request } = call
      if (!isSafe(request)) return Effect.zipRight(this.stop, fetchOutside(request, room))
      const text = textOf(call.action)
      const attempt = this.attemptFor(text)
      const answer = attempt === undefined ? fetchOutside(request, room) : this.awaited(attempt, request, room)
      return Effect.tap(answer, (given) => Effect.sync(() => this.remember(text, request, given)))
    })
  }

  /** To be run before a proxied request: if that may change something outside, prefetching ends. */
  beforeChange(request: FetchAction): Effect.Effect<void> {
    return isSafe(request) ? Effect.void : this.stop
  }

  /** Aborts the requests that the program has not asked for; no more are sent. */
  readonly stop: Effect.Effect<void> = Effect.suspend(() => {
    const left = this.end()
    return left.length === 0 ? Effect.void : Fiber.interruptAll(left)
  })

  /** Sends no more; what the program has not asked for is left to be interrupted. */
  end(): ReadonlyArray<Fiber.Fiber<unknown>> {
    this.isOver = true
    this.waiting.length = 0
    const left = this.attempts.splice(0)
    for (const { bytes } of left) this.room.give(this.request.projectId, bytes)
    return left.map(({ fiber }) => fiber)
  }

  private attempt({ text }: PastRequest, bytes: number): void {
    const action = new Uint8Array(Buffer.from(text, "latin1"))
    const reading = decodeFetchAction(action)
    if (reading.kind !== "request") return this.room.give(this.request.projectId, bytes)
    const { request } = reading
    const { body, headers, method, url } = request
    const { limits } = this.request
    const outbound = {
      mostAtOnce: limits.httpRequestsPerProject,
      url,
      method,
      headers,
      body,
      // The time limit of the call starts when the program asks.
      timeoutMs: limits.httpRunBudgetMs,
      maxResponseBytes: bytes,
      isAhead: true,
      ...askerOf(this.request)
    }
    const fiber = this.caller.fork(Context.get(this.caller.outside, HttpFetch).fetch(outbound))
    this.attempts.push(new Attempt(text, { action, request }, bytes, fiber, this.caller.clock))
    this.requested += 1
  }

  /** The attempt that answers this call; the next request is sent in its place. */
  private attemptFor(text: string): Attempt | undefined {
    const attempt = this.attempts.find((each) => each.text === text)
    if (attempt === undefined) {
      const place = this.waiting.findIndex((waiting) => waiting.text === text)
      if (place >= 0) this.waiting.splice(place, 1)
      return undefined
    }
    this.leave(attempt)
    this.start()
    return attempt
  }

  /** The program has made the call of this attempt. */
  private leave(attempt: Attempt): void {
    this.attempts.splice(this.attempts.indexOf(attempt), 1)
    this.taken += 1
    this.room.give(this.request.projectId, attempt.bytes)
  }

  /** Waits for an attempt, for at most the time limit of the call. */
  private awaited(attempt: Attempt, request: FetchAction, room: FetchRoom): Effect.Effect<FetchAnswer, never, HttpFetch> {
    const { fiber, waitedMs } = attempt
    const { limitMs, text, wantedMs } = timeLimitOf(request, room)
    const maxBytes = Math.min(room.limits.httpResponseBytes, room.leftBytes)
    return Effect.gen(this, function* () {
      const calledAtMs = yield* Clock.currentTimeMillis
      const leftMs = limitMs - waitedMs
      if (leftMs > 0) yield* ended(attempt, leftMs)
      const { arrival } = attempt
      if (leftMs <= 0 || arrival === undefined) return failedFetch(text)
      if (arrival !== "failed" && isUsable(arrival, calledAtMs, wantedMs, maxBytes)) {
        this.used += 1
        return settled(arrival.response, text)
      }
      return yield* fetchOutside(request, room, waitedMs + (yield* Clock.currentTimeMillis) - calledAtMs)
    }).pipe(Effect.ensuring(Effect.suspend(() => (fiber.unsafePoll() === null ? Fiber.interruptFork(fiber) : Effect.void))))
  }

  private remember(text: string, request: FetchAction, { bytes, status }: FetchAnswer): void {
    if (this.isOver || !isRemembered(request) || !isGood(status)) return
    if (this.calls.length >= maxMade || this.callBytes + text.length > maxMadeBytes) return
    this.callBytes += text.length
    this.calls.push({ text, answerBytes: bytes.length })
  }
}
