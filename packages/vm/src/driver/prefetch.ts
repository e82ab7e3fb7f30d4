/** The prefetched requests of one run: those of the previous run, made before the program asks for them (decision "Prefetch"). */
import { HttpFetch, type OutboundResponse, type PhaseRequest, type PrefetchUse } from "@sibyl/core"
import { Clock, Effect, Exit, Fiber, Option, Runtime } from "effect"
import type { ReadingRoom } from "../http/answerBytes.ts"
import { decodeFetchAction, type FetchAction } from "../tape/fetchAction.ts"
import { failedFetch } from "../tape/promiseJson.ts"
import type { FetchAnswer } from "../tape/tape.ts"
import { fetchOutside, settled, timeLimitOf } from "./fetchOutside.ts"
import type { FetchRoom } from "./fetchRoom.ts"
import type { MadeRequest, PastRequest } from "./pastRequests.ts"

/** Memory reserved for an answer: twice its size in the previous run, but at least this, because a connection takes some too. */
const leastAnswerBytes = 32_768

/** How many requests of one run are remembered, and how many bytes of them. */
const [maxMade, maxMadeBytes] = [64, 65_536]

/** A prefetched request that the program has not asked for yet. */
interface Attempt {
  readonly fiber: Fiber.RuntimeFiber<Arrival>
  /** The memory reserved for its answer. */
  readonly bytes: number
}

interface Arrival {
  readonly response: OutboundResponse
  readonly atMs: number
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

const isGood = (status: number): boolean => status >= 200 && status <= 399

/** How an attempt ended; none if it has not ended within `limitMs`. */
const arrivalWithin = (fiber: Attempt["fiber"], limitMs: number): Effect.Effect<Option.Option<Exit.Exit<Arrival>>> =>
  Effect.suspend(() => {
    const exit = fiber.unsafePoll()
    return exit === null ? Effect.timeoutOption(Fiber.await(fiber), limitMs) : Effect.succeedSome(exit)
  })

/**
 * Prefetches the expected requests of one run. Each answer is given to one call with exactly the same action. If the
 * prefetched request failed or its answer cannot be used, the call makes the request itself.
 */
export class Prefetch {
  private readonly request: PhaseRequest
  private readonly room: ReadingRoom
  private readonly runtime: Runtime.Runtime<HttpFetch>
  private readonly waiting: Array<PastRequest>
  private readonly attempts = new Map<string, Array<Attempt>>()
  private outstanding = 0
  private requested = 0
  private used = 0
  private readonly calls: Array<MadeRequest> = []
  private callBytes = 0
  /** Set once the program may have changed something outside: earlier answers would show the state before it. */
  private isOver = false

  constructor(request: PhaseRequest, expected: ReadonlyArray<PastRequest>, room: ReadingRoom, runtime: Runtime.Runtime<HttpFetch>) {
    this.request = request
    this.room = room
    this.runtime = runtime
    this.waiting = [...expected]
  }

  /** The requests of this run that may be prefetched for the next one. */
  get made(): ReadonlyArray<MadeRequest> {
    return this.calls
  }

  /** Prefetched requests that the program has not asked for. */
  get missed(): number {
    return this.outstanding
  }

  /** How many were prefetched and used; undefined if none was. */
  get use(): PrefetchUse | undefined {
    return this.requested === 0 ? undefined : { requested: this.requested, used: this.used }
  }

  /** Sends as many requests as may be outstanding and as there is memory for. */
  start(): void {
    const { limits, projectId } = this.request
    while (this.outstanding < limits.httpPrefetches) {
      const next = this.waiting[0]
      if (next === undefined) return
      const bytes = Math.min(limits.httpResponseBytes, Math.max(leastAnswerBytes, 2 * next.answerBytes))
      if (!this.room.take(projectId, bytes)) return
      this.waiting.shift()
      this.attempt(next, bytes)
    }
  }

  /** The answer to a call, from the prefetched request if there is one. */
  fetch(call: FetchCall, room: FetchRoom): Effect.Effect<FetchAnswer, never, HttpFetch> {
    return Effect.suspend(() => {
      const { request } = call
      if (!isSafe(request)) return Effect.zipRight(this.stop, fetchOutside(request, room))
      const text = textOf(call.action)
      const attempt = this.taken(text)
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
    this.isOver = true
    this.waiting.length = 0
    const left = [...this.attempts.values()].flat()
    this.attempts.clear()
    for (const { bytes } of left) this.room.give(this.request.projectId, bytes)
    return Fiber.interruptAll(left.map(({ fiber }) => fiber))
  })

  private attempt({ text }: PastRequest, bytes: number): void {
    const reading = decodeFetchAction(Buffer.from(text, "latin1"))
    if (reading.kind !== "request") return this.room.give(this.request.projectId, bytes)
    const { body, headers, method, url } = reading.request
    const { limits, projectId } = this.request
    // The time limit of the call starts when the program asks.
    const outbound = { projectId, url, method, headers, body, timeoutMs: limits.httpRunBudgetMs, maxResponseBytes: bytes, isAhead: true }
    const arrival = HttpFetch.pipe(
      Effect.flatMap((http) => http.fetch(outbound)),
      Effect.zipWith(Clock.currentTimeMillis, (response, atMs): Arrival => ({ response, atMs }))
    )
    // The run itself may be uninterruptible.
    const fiber = Runtime.runFork(this.runtime)(Effect.interruptible(arrival))
    this.attempts.set(text, [...(this.attempts.get(text) ?? []), { fiber, bytes }])
    this.outstanding += 1
    this.requested += 1
  }

  /** The attempt that answers this call; the next request is sent in its place. */
  private taken(text: string): Attempt | undefined {
    const attempt = this.attempts.get(text)?.shift()
    if (attempt === undefined) {
      const place = this.waiting.findIndex((waiting) => waiting.text === text)
      if (place >= 0) this.waiting.splice(place, 1)
      return undefined
    }
    this.outstanding -= 1
    this.room.give(this.request.projectId, attempt.bytes)
    this.start()
    return attempt
  }

  /** Waits for an attempt, for at most the time limit of the call. */
  private awaited({ fiber }: Attempt, request: FetchAction, room: FetchRoom): Effect.Effect<FetchAnswer, never, HttpFetch> {
    const { limitMs, text, wantedMs } = timeLimitOf(request, room)
    const maxBytes = Math.min(room.limits.httpResponseBytes, room.leftBytes)
    const isUsable = ({ atMs, response }: Arrival, calledAtMs: number): boolean =>
      response.kind === "answered" &&
      isGood(response.status) &&
      response.bytes.length <= maxBytes &&
      // An answer that waited longer than a request may take is too old.
      calledAtMs - atMs <= wantedMs
    return Effect.gen(this, function* () {
      const calledAtMs = yield* Clock.currentTimeMillis
      const arrived = limitMs > 0 ? yield* arrivalWithin(fiber, limitMs) : Option.none()
      if (Option.isNone(arrived)) return failedFetch(text)
      const exit = arrived.value
      if (Exit.isSuccess(exit) && isUsable(exit.value, calledAtMs)) {
        this.used += 1
        return settled(exit.value.response, text)
      }
      return yield* fetchOutside(request, room, (yield* Clock.currentTimeMillis) - calledAtMs)
    }).pipe(Effect.ensuring(Effect.suspend(() => (fiber.unsafePoll() === null ? Fiber.interruptFork(fiber) : Effect.void))))
  }

  private remember(text: string, request: FetchAction, { bytes, status }: FetchAnswer): void {
    if (this.isOver || !isRemembered(request) || !isGood(status)) return
    if (this.calls.length >= maxMade || this.callBytes + text.length > maxMadeBytes) return
    this.callBytes += text.length
    this.calls.push({ text, answerBytes: bytes.length })
  }
}
