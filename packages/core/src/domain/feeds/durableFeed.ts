/** A durable feed: its definition, and what is kept of each of its runs (decision D51). */
import type { FeedMode } from "../runs/feedSchedule.ts"

/** What a durable feed runs, and when. It belongs to a project and runs until it is removed. */
export interface DurableFeed {
  /** A UUID; also the key of its schedule. */
  readonly feedId: string
  readonly projectId: string
  /** The parameters of each run, as JSON text with the digits of its numbers. */
  readonly execute: string
  readonly mode: FeedMode
  readonly periodMs: number
  readonly createdAtMs: number
  /** The request that created it, as a `traceparent`, if it was recorded: each tick is linked to it. */
  readonly startedBy?: string | undefined
}

/** The place of a run in a feed. Places are ordered by epoch, then by number. */
export interface FeedPlace {
  readonly epoch: number
  /** 0, 1, 2 ... in the order of starts within the epoch. */
  readonly seq: number
}

/** A run that starts. */
export interface FeedTick extends FeedPlace {
  /** The point of the schedule; those between two runs were left out. */
  readonly tick: number
  /** Milliseconds since the Unix epoch, by the store's time. */
  readonly scheduledAtMs: number
  readonly startedAtMs: number
}

/** What is kept of a run; the result itself is in its report. */
export interface FeedEntry extends FeedTick {
  /** `null` while it runs. */
  readonly endedAtMs: number | null
  /** Why there is no result, as the JSON text of the error that followers are sent; else `null`. */
  readonly failure: string | null
}

/** How far a feed has come, for whoever takes it over and whoever asks. */
export interface FeedProgress {
  /** The newest run, ended or not. */
  readonly last: FeedEntry | undefined
  readonly lastResult: FeedEntry | undefined
  readonly lastFailure: FeedEntry | undefined
  /** Until when its owner has it; `undefined` if nobody has owned it yet. */
  readonly leaseUntilMs: number | undefined
  readonly epoch: number | undefined
  /** The store's time. */
  readonly nowMs: number
}

/** Negative if the left place is the earlier one. */
export const comparePlaces = (left: FeedPlace, right: FeedPlace): number => left.epoch - right.epoch || left.seq - right.seq
