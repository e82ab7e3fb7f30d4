/** The relay of feeds between the edges of a server: over the channel to the supervisor, which passes news on. */
import { EncodedText, FeedRelay, type RelayedNews } from "@sibyl/core"
import { Effect, Layer } from "effect"
import type { AboutFeeds, SentNews, ToEdge } from "./edgeMessages.ts"

type Listener = (news: RelayedNews) => void

const sent = (news: RelayedNews): SentNews => {
  if (news.kind !== "result") return news
  const { message, ...others } = news
  return { ...others, bytes: message.bytes }
}

const read = (news: SentNews): RelayedNews => {
  if (news.kind !== "result") return news
  const { bytes, ...others } = news
  return { ...others, message: new EncodedText(bytes) }
}

/** An edge's end of the relay. */
export class EdgeRelay {
  readonly #tell: (message: AboutFeeds) => void
  readonly #scope: string
  readonly #listeners = new Map<string, Set<Listener>>()

  /** `tell` sends a message to the supervisor; `scope` is the same for all of its edges, and no other server's. */
  constructor(tell: (message: AboutFeeds) => void, scope: string) {
    this.#tell = tell
    this.#scope = scope
  }

  /** What the supervisor passes on. */
  heard({ feedKey, news }: Extract<ToEdge, { readonly kind: "news" }>): void {
    this.#hand(feedKey, read(news))
  }

  #hand(feedKey: string, news: RelayedNews): void {
    for (const onNews of this.#listeners.get(feedKey) ?? []) onNews(news)
  }

  #listen(feedKey: string, onNews: Listener): void {
    const listeners = this.#listeners.get(feedKey) ?? new Set()
    this.#listeners.set(feedKey, listeners.add(onNews))
    if (listeners.size === 1) this.#tell({ kind: "listens", feedKey, listens: true })
  }

  #leave(feedKey: string, onNews: Listener): void {
    const listeners = this.#listeners.get(feedKey)
    if (listeners?.delete(onNews) !== true || listeners.size > 0) return
    this.#listeners.delete(feedKey)
    this.#tell({ kind: "listens", feedKey, listens: false })
  }

  /** The port. */
  get layer(): Layer.Layer<FeedRelay> {
    return Layer.succeed(FeedRelay, {
      scope: this.#scope,
      publish: (feedKey, news) => {
        this.#tell({ kind: "news", feedKey, news: sent(news) })
        this.#hand(feedKey, news)
        return true
      },
      subscribe: (feedKey, listener) => {
        // Two subscriptions of one function are two.
        const onNews: Listener = (news) => listener(news)
        return Effect.acquireRelease(
          Effect.sync(() => this.#listen(feedKey, onNews)),
          () => Effect.sync(() => this.#leave(feedKey, onNews))
        )
      }
    })
  }
}
