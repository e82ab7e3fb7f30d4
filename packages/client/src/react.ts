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
  /** Why the feed has ended; undefined while it runs. */
  readonly error: ClientError | Error | undefined
}

const fresh = { result: undefined, trouble: undefined, gaps: 0, error: undefined }

const after = <R>(state: FeedState<R>, item: FeedItem<R>): FeedState<R> =>
  item.kind === "result"
    ? { ...state, result: item, trouble: undefined }
    : { ...state, trouble: item, gaps: state.gaps + (isGap(item) ? 1 : 0) }

const isGap = (item: FeedItem<unknown>): item is GapItem => item.kind === "gap"

/**
 * Runs a feed while the component is there: it begins anew when client or request change, and ends with the component. A slow component is
 * given the newest result (`whenSlow: "latest"` unless the options say otherwise). Options are those of the first render.
 */
export const useFeed = <R = unknown>(
  client: Client,
  request: FeedRequest | FollowRequest,
  options: Omit<FeedOptions<R>, "signal"> = {}
): FeedState<R> => {
  const [state, setState] = useState<FeedState<R>>(fresh)
  useEffect(() => {
    const left = new AbortController()
    setState(fresh)
    const follow = async (): Promise<void> => {
      try {
        const items = client.feed<R>(request, { whenSlow: "latest", ...options, signal: left.signal })
        for await (const item of items) setState((known) => after(known, item))
      } catch (caught) {
        if (!left.signal.aborted)
          setState((known) => ({ ...known, error: isClientError(caught) || caught instanceof Error ? caught : new Error(String(caught)) }))
      }
    }
    void follow()
    return () => left.abort()
    // A request that says the same is the same feed.
  }, [client, JSON.stringify(request)])
  return state
}
