/** The port between the servers that share feeds: what one of them runs, all of them send to their subscribers (decision D48). */
import { Context, Effect, Layer, type Scope } from "effect"
import type { RelayedNews } from "../../domain/feeds/relayedNews.ts"

/**
 * Carries news of feeds, by keys of letters, digits and hyphens. Nothing is kept: news that is sent while nobody listens, or while there is no connection, is lost, and listeners
 * notice by the ordinals. What one server sends of a feed arrives in its order, at most once, also at the server itself.
 */
export class FeedRelay extends Context.Tag("@sibyl/core/FeedRelay")<
  FeedRelay,
  {
    /**
     * Names those that it reaches: servers with the same database and the same scope share feeds. Absent if it reaches nobody: then every
     * feed runs where its subscribers are.
     */
    readonly scope: string | undefined
    /** Sends news; false if it is known that it could not be sent. It never waits. */
    readonly publish: (feedKey: string, news: RelayedNews) => boolean
    /** Calls back for each news of a feed until the scope closes. The callback must be short and must not throw. */
    readonly subscribe: (feedKey: string, onNews: (news: RelayedNews) => void) => Effect.Effect<void, never, Scope.Scope>
  }
>() {
  /** Among the services of one process that are given this same layer value. */
  static readonly layerMemory = (scope?: string): Layer.Layer<FeedRelay> => Layer.sync(FeedRelay, () => memoryRelay(scope))

  /** For a server that shares its feeds with no other one. */
  static readonly layerAlone: Layer.Layer<FeedRelay> = FeedRelay.layerMemory()
}

/** A relay within the process. */
export const memoryRelay = (scope?: string): Context.Tag.Service<FeedRelay> => {
  const listeners = new Map<string, Set<(news: RelayedNews) => void>>()
  return {
    scope,
    publish: (feedKey, news) => {
      for (const onNews of listeners.get(feedKey) ?? []) onNews(news)
      return true
    },
    subscribe: (feedKey, listener) =>
      Effect.acquireRelease(
        Effect.sync(() => {
          // Two subscriptions of one function are two.
          const onNews = (news: RelayedNews): void => listener(news)
          const all = listeners.get(feedKey) ?? new Set()
          listeners.set(feedKey, all.add(onNews))
          return { all, onNews }
        }),
        ({ all, onNews }) =>
          Effect.sync(() => {
            all.delete(onNews)
            if (all.size === 0 && listeners.get(feedKey) === all) listeners.delete(feedKey)
          })
      )
  }
}
