/** A session of feeds over one connection: starts each, passes on runs, stops each after its count, never reconnects. */
import type { FeedMode, RpcMethod } from "@sibyl/core"
import { Clock, Effect } from "effect"
import { failureText, type FeedRun, readServiceMessage } from "./feedMessages.ts"
import { closedText, FeedFailed, type FeedSocket } from "./feedSocket.ts"
import type { ReceivedRun } from "./feedView.ts"
import { refusedOption } from "./refusedOption.ts"
import type { UsageError } from "../output/failure.ts"

/** What to run. */
export interface FeedSessionOptions {
  readonly modes: ReadonlyArray<FeedMode>
  readonly periodMs: number
  readonly execute: Readonly<Record<string, unknown>>
  /** Whether its runs are shared with others of the project who ask for the same. */
  readonly share: boolean
  /** The number of runs after which each feed is stopped; absent for no limit. */
  readonly count: number | undefined
}

/** The events of a session. */
export interface SessionNews {
  readonly authorized: (organization: string, credits: string) => Effect.Effect<void>
  readonly ran: (received: ReceivedRun) => Effect.Effect<void>
}

/** One feed of the session. */
interface Running {
  readonly mode: FeedMode
  seen: number
}

const request = (id: string, method: RpcMethod, params: object) => ({ jsonrpc: "2.0", id, method, params })

const startRequests = ({ execute, modes, periodMs, share }: FeedSessionOptions) =>
  modes.map((mode) => request(`start ${mode}`, "feed.start", { execute, periodicityMs: periodMs, mode, ...(share ? { share } : {}) }))

const modeOf = (modes: ReadonlyArray<FeedMode>, id: string | null): FeedMode | undefined => modes.find((mode) => id === `start ${mode}`)

/** The session's state: which feeds run, and how many are still to be stopped. */
class Session {
  readonly #socket: FeedSocket
  readonly #options: FeedSessionOptions
  readonly #news: SessionNews
  readonly #running = new Map<string, Running>()
  #left: number

  constructor(socket: FeedSocket, options: FeedSessionOptions, news: SessionNews) {
    this.#socket = socket
    this.#options = options
    this.#news = news
    this.#left = options.modes.length
  }

  get isOver(): boolean {
    return this.#left === 0
  }

  hear(text: string): Effect.Effect<void, FeedFailed | UsageError> {
    const message = readServiceMessage(text)
    switch (message._tag) {
      case "authorized":
        return Effect.zipRight(
          this.#news.authorized(message.organization, message.credits),
          Effect.forEach(startRequests(this.#options), this.#socket.send, { discard: true })
        )
      case "reply":
        return message.error === undefined
          ? Effect.sync(() => this.#answered(message.id, message.feedId))
          : Effect.fail(refusedOption(message.error.error) ?? new FeedFailed({ message: failureText(message.error) }))
      case "run":
        return this.#ran(message.run, message.raw)
      case "unknown":
        return Effect.void
    }
  }

  #answered(id: string | null, feedId: string | undefined): void {
    const mode = modeOf(this.#options.modes, id)
    if (mode === undefined) this.#left -= 1
    else if (feedId !== undefined) this.#running.set(feedId, { mode, seen: 0 })
  }

  #ran(run: FeedRun, raw: object): Effect.Effect<void> {
    const { count } = this.#options
    const feed = this.#running.get(run.feedId)
    if (feed === undefined || feed.seen === count) return Effect.void
    feed.seen += 1
    const { mode } = feed
    const told = Effect.flatMap(Clock.currentTimeMillis, (receivedAtMs) => this.#news.ran({ mode, receivedAtMs, run, raw }))
    return feed.seen === count
      ? Effect.zipRight(told, this.#socket.send(request(`stop ${mode}`, "feed.stop", { feedId: run.feedId })))
      : told
  }
}

/** Runs until every feed was stopped after its count. Fails when something is refused or the connection ends. */
export const runFeeds = (
  socket: FeedSocket,
  options: FeedSessionOptions,
  news: SessionNews
): Effect.Effect<void, FeedFailed | UsageError> =>
  Effect.gen(function* () {
    const session = new Session(socket, options, news)
    while (!session.isOver) {
      const event = yield* socket.next
      if (event._tag === "closed") {
        return yield* new FeedFailed({ message: closedText(event) })
      }
      yield* session.hear(event.text)
    }
  })
