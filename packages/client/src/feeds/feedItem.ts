/** What a loop over a feed is given: results, failed runs, and gaps. */
import type { ExecuteResponse } from "../contract/records.ts"
import type { FailedExecution, InvalidResult, ServiceRefusal } from "../errors/clientError.ts"

/** A place in a feed. `epoch` is there for a durable one. */
export interface RunPlace {
  readonly epoch?: number | undefined
  readonly seq: number
}

/** Which run of which feed, and when. */
interface OfRun extends RunPlace {
  readonly feedId: string
  /** Of a durable feed: the point of its schedule; those between were left out. */
  readonly tick?: number | undefined
  /** Milliseconds since the Unix epoch. */
  readonly scheduledAt: number
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number
}

/** A successful run. */
export interface ResultItem<R> extends OfRun {
  readonly kind: "result"
  readonly result: R
  /** As it was received, signed. */
  readonly answer: ExecuteResponse
}

/** A run without a result: the program failed, the service refused it, or the result is not what its schema describes. */
export interface FailedItem extends OfRun {
  readonly kind: "failed"
  readonly error: FailedExecution | ServiceRefusal | InvalidResult
}

/**
 * Why runs are missing. `reconnected`: the connection was lost, and a feed that is not durable began anew; `missed`: the service left
 * messages out, or they were lost on the way; `notKept`: a durable feed keeps them no longer; `newEpoch`: its schedule began anew; `slow`: the
 * loop took too long.
 */
export type GapReason = "reconnected" | "missed" | "notKept" | "newEpoch" | "slow"

/** Runs that the loop is not given. */
export interface GapItem {
  readonly kind: "gap"
  readonly why: GapReason
  /** Undefined where the connection was lost before the feed's id arrived. */
  readonly feedId: string | undefined
  /** How many; undefined: not known. */
  readonly missed: number | undefined
  /** The first place that is missing, if known. */
  readonly from: RunPlace | undefined
  /** The place after the last one that is missing, if known. */
  readonly to: RunPlace | undefined
}

/** One thing that happened in a feed. */
export type FeedItem<R> = ResultItem<R> | FailedItem | GapItem
