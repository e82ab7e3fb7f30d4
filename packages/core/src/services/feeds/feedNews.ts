/** Where news of durable feeds arrives: whoever waits for a feed's next result is told that there may be one (decision D51). */
import { Context, Effect, Layer } from "effect"

/** News of feeds. It may be missing, late or repeated: whoever is told looks at the log, and looks now and then without being told. */
export class FeedNews extends Context.Tag("@sibyl/core/FeedNews")<
  FeedNews,
  {
    /** Something about this feed is new. */
    readonly tell: (feedId: string) => void
    /** Calls back for every piece of news of a feed, until the returned function is called. The callback must not throw. */
    readonly listen: (feedId: string, then: () => void) => () => void
  }
>() {
  /** The news of this process. */
  static readonly layer = Layer.effect(
    FeedNews,
    Effect.sync(() => {
      const listeners = new Map<string, Set<() => void>>()
      return {
        tell: (feedId) => {
          for (const then of listeners.get(feedId) ?? []) then()
        },
        listen: (feedId, then) => {
          const those = listeners.get(feedId) ?? new Set()
          listeners.set(feedId, those.add(then))
          return () => {
            if (those.delete(then) && those.size === 0 && listeners.get(feedId) === those) listeners.delete(feedId)
          }
        }
      }
    })
  )
}
