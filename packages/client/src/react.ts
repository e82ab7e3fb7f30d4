/** For React: a feed as the state of a component. */
import { useEffect, useState } from "react"
import type { Client } from "./createClient.ts"
import { isClientError, type ClientError } from "./errors/clientError.ts"
import type { FeedRequest } from "./feeds/connectionFeed.ts"
import type { FeedItem, GapItem, ResultItem } from "./feeds/feedItem.ts"
import type { FeedOptions } from "./feeds/feedLoop.ts"
import type { FollowRequest } from "./feeds/followedFeed.ts"

/** What a component knows of its feed. */
export interface FeedState<R> {
  /** The newest result. */
  readonly result: ResultItem<R> | undefined
  /** The newest failed run or gap, if no result came after it. */
  readonly trouble: Exclude<FeedItem<R>, ResultItem<R>> | undefined
  /** How many gaps there were. */
  readonly gaps: number
  /** Whether the feed has ended: nothing will change any more. Without an `error`, it is a durable one that was removed. */
  readonly ended: boolean
  /** Why the feed has ended; undefined while it runs. */
  readonly error: ClientError | Error | undefined
}

/** A state, and whose it is. */
interface OwnedState<R> {
  readonly client: Client
  readonly key: string | undefined
  readonly state: FeedState<R>
}

const fresh = { result: undefined, trouble: undefined, gaps: 0, ended: false, error: undefined }

const after = <R>(state: FeedState<R>, item: FeedItem<R>): FeedState<R> =>
  item.kind === "result"
    ? { ...state, result: item, trouble: undefined }
    : { ...state, trouble: item, gaps: state.gaps + (isGap(item) ? 1 : 0) }

const isGap = (item: FeedItem<unknown>): item is GapItem => item.kind === "gap"

/** What a request says, as a text; undefined for one that cannot be sent, which the client refuses. */
const keyOf = (request: FeedRequest | FollowRequest): string | undefined => {
  try {
    return JSON.stringify(request)
  } catch {
    return undefined
  }
}

const errorOf = (caught: unknown): ClientError | Error =>
  isClientError(caught) || caught instanceof Error ? caught : new Error(String(caught))

/**
 * Runs a feed while the component is there: it begins anew when client or request change, and ends with the component. A slow component is
 * given the newest result (`whenSlow: "latest"` unless the options say otherwise). Options are those of the first render. Whatever is wrong
 * with the request is the state's `error`.
 */
export const useFeed = <R = unknown>(
  client: Client,
  request: FeedRequest | FollowRequest,
  options: Omit<FeedOptions<R>, "signal"> = {}
): FeedState<R> => {
  const key = keyOf(request)
  const [owned, setOwned] = useState<OwnedState<R>>({ client, key, state: fresh })
  useEffect(() => {
    const left = new AbortController()
    setOwned({ client, key, state: fresh })
    const tell = (change: (state: FeedState<R>) => FeedState<R>): void => {
      // An item may have been on its way when the feed was left.
      if (!left.signal.aborted) setOwned(({ state }) => ({ client, key, state: change(state) }))
    }
    const follow = async (): Promise<void> => {
      try {
        const items = client.feed<R>(request, { whenSlow: "latest", ...options, signal: left.signal })
        for await (const item of items) tell((state) => after(state, item))
        tell((state) => ({ ...state, ended: true }))
      } catch (caught) {
        tell((state) => ({ ...state, ended: true, error: errorOf(caught) }))
      }
    }
    void follow()
    return () => left.abort()
    // A request that says the same is the same feed.
  }, [client, key])
  // The render that brings another feed comes before its effect: what is known then is of the feed before.
  return owned.client === client && owned.key === key ? owned.state : fresh
}
