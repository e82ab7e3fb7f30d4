/** One open WebSocket: requests and their replies, what is said of feeds, and whether anybody is still there. */
import type { FeedMessage } from "../contract/messages.ts"
import { jsonOf, membersOf } from "../contract/json.ts"
import type { Platform, WebSocketLike } from "../ground/platform.ts"

/** The reply to a request. */
export type Reply = { readonly result: unknown } | { readonly error: unknown }

/** Hears what is said of a feed. */
export type Heard = (message: FeedMessage) => void

/** Names no feed: asked to stop, a service that is there says so. Pages cannot send the pings of the protocol, nor see them. */
const noFeed = "00000000-0000-4000-8000-000000000000"

/** So long after the last message, the service is asked for one: less than proxies wait that cut what is idle. */
const silenceMs = 15_000

/** A request that is not answered for so long never will be: it, or its reply, was lost. */
const replyMs = 30_000

const unanswered = `did not answer a request within ${replyMs} ms`

const unheard = `said nothing for ${2 * silenceMs} ms`

/** A connection that the service has authorized. */
export class Session {
  readonly #platform: Platform
  readonly #socket: WebSocketLike
  readonly #ended: () => void
  readonly #answers = new Map<string, { readonly answered: (reply: Reply) => void; readonly cancel: () => void }>()
  readonly #heard = new Map<string, Set<Heard>>()
  #asked = 0
  #isProved = false
  #isOpen = true
  #whyEnded = ""
  #cancelWatch: () => void = () => undefined

  /** `ended` is called once, when the connection is lost or {@link close} is called. */
  constructor(platform: Platform, socket: WebSocketLike, ended: () => void) {
    this.#platform = platform
    this.#socket = socket
    this.#ended = ended
    this.#watch()
  }

  /** Whether the service has said anything after it let us in. */
  get isProved(): boolean {
    return this.#isProved
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Why it has ended, in words that follow an address; empty as long as it has not, and where this side has no use for it any more. */
  get whyEnded(): string {
    return this.#whyEnded
  }

  /** Sends a request. Without a reply in time the session ends; of one that has ended, no reply comes. */
  call(method: string, params: object, answered: (reply: Reply) => void): void {
    if (!this.#isOpen) return
    this.#asked += 1
    const id = String(this.#asked)
    // Outside of what follows: a request that cannot be written is no fault of the connection, which others have too.
    const text = JSON.stringify({ jsonrpc: "2.0", id, method, params })
    this.#answers.set(id, { answered, cancel: this.#platform.after(replyMs, () => this.close(unanswered)) })
    try {
      this.#socket.send(text)
    } catch {
      this.close("could not be written to")
    }
  }

  /** Hears what is said of a feed; returns what ends that, and answers whether nobody hears of the feed any more. */
  listen(feedId: string, heard: Heard): () => boolean {
    const all = this.#heard.get(feedId) ?? new Set()
    this.#heard.set(feedId, all.add(heard))
    return () => {
      if (!all.delete(heard) || all.size > 0) return false
      this.#heard.delete(feedId)
      return true
    }
  }

  /** A text frame arrived. */
  receive(data: unknown): void {
    if (!this.#isOpen) return
    this.#isProved = true
    this.#cancelWatch()
    this.#watch()
    const message = membersOf(jsonOf(data))
    const { id, method, params } = message
    if (typeof id === "string") {
      const asked = this.#answers.get(id)
      this.#answers.delete(id)
      asked?.cancel()
      asked?.answered("result" in message ? { result: message["result"] } : { error: message["error"] })
      return
    }
    const { feedId } = membersOf(params)
    if (typeof method !== "string" || typeof feedId !== "string") return
    for (const heard of this.#heard.get(feedId) ?? []) heard({ method, params } as FeedMessage)
  }

  /** Ends the connection, from this side or because the other one is gone. */
  close(why = ""): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#whyEnded = why
    this.#cancelWatch()
    for (const { cancel } of this.#answers.values()) cancel()
    try {
      this.#socket.close(1000)
    } catch {
      // It was never opened, or is closed already.
    }
    this.#ended()
  }

  /** Two silences in a row, the second of them in spite of a question: nobody is there. */
  #watch(): void {
    this.#cancelWatch = this.#platform.after(silenceMs, () => {
      this.#cancelWatch = this.#platform.after(silenceMs, () => this.close(unheard))
      this.call("feed.stop", { feedId: noFeed }, () => undefined)
    })
  }
}
