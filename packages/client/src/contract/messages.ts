/** The messages of the WebSocket interface, as plain types; a test holds them equal to the schemas of the contract. */
import type { ExecuteData, ExecuteResponse } from "./records.ts"
import type { FeedPlace } from "./requests.ts"

/** Why a request over WebSocket, or a run of a feed, has no result. */
export interface RpcError {
  readonly _tag?: string | undefined
  readonly code: number
  readonly error: string
  readonly message: string
  /** Of a program that ended with a non-zero exit code. */
  readonly data?: ExecuteData | undefined
  readonly details?: { readonly [name: string]: unknown } | undefined
}

/** One run of a feed, with exactly one of `result` and `error`. */
export interface FeedRun {
  readonly feedId: string
  /** Of a durable feed. */
  readonly epoch?: number | undefined
  readonly seq: number
  /** Of a durable feed: the point of its schedule. */
  readonly tick?: number | undefined
  /** Milliseconds since the Unix epoch. */
  readonly scheduledAt: number
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number
  readonly result?: ExecuteResponse | undefined
  readonly error?: RpcError | undefined
}

/** Results that the service does not send: `missed` of a shared feed, the others of a durable one. */
export interface FeedGap {
  readonly feedId: string
  readonly missed?: number | undefined
  readonly from?: FeedPlace | undefined
  /** The place after those that are missing. */
  readonly to?: FeedPlace | undefined
  readonly why?: "newEpoch" | "notKept" | undefined
}

/** What the service says of a feed on its own. */
export type FeedMessage =
  | { readonly method: "feed.result"; readonly params: FeedRun }
  | { readonly method: "feed.gap"; readonly params: FeedGap }
  | { readonly method: "feed.ended"; readonly params: { readonly feedId: string; readonly why: "removed" } }
