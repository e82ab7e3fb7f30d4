/** What is known of a feed that runs in the page, message by message: plain functions. */
import type { FeedItem, GapItem } from "@sibyl/client"
import { numbersIn } from "../charts/numbersIn.ts"

/** A run that was received. Times are milliseconds since the Unix epoch, by the service's clock. */
export interface TrackedRun {
  readonly feedId: string
  readonly seq: number
  readonly scheduledAtMs: number
  readonly startedAtMs: number
  /** How long it took; undefined where the service did not say, as for refused runs. */
  readonly durationMs: number | undefined
  /** Those in its result by their places; none for a failed run. */
  readonly numbers: ReadonlyMap<string, number>
  /** Why it failed. */
  readonly failure: string | undefined
  /** What the project has left; undefined where the service did not say. */
  readonly creditsRemaining: number | undefined
}

/** A gap, and after which run it was told. */
export interface TrackedGap {
  readonly why: GapItem["why"]
  readonly missed: number | undefined
  readonly afterMs: number | undefined
}

/** A feed. */
export interface FeedTrack {
  /** The newest ones, oldest first. */
  readonly runs: ReadonlyArray<TrackedRun>
  readonly gaps: ReadonlyArray<TrackedGap>
  readonly succeeded: number
  readonly failed: number
  readonly creditsUsed: number
  /** The places of the numbers in the last result. */
  readonly places: ReadonlyArray<string>
  /** How it ended; undefined while it runs. */
  readonly end: string | undefined
}

/** How many runs are kept for the charts. */
export const keptRuns = 400

const keptGaps = 50

/** A feed of which nothing has been received. */
export const freshTrack: FeedTrack = { runs: [], gaps: [], succeeded: 0, failed: 0, creditsUsed: 0, places: [], end: undefined }

const creditsOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text))

type RunItem = Exclude<FeedItem<unknown>, GapItem>

const runOf = (item: RunItem): TrackedRun => {
  const summary = item.kind === "result" ? item.answer.data.summary : "data" in item.error ? item.error.data?.summary : undefined
  return {
    feedId: item.feedId,
    seq: item.seq,
    scheduledAtMs: item.scheduledAt,
    startedAtMs: item.startedAt,
    durationMs: summary?.durationMs,
    numbers: numbersIn(item.kind === "result" ? item.result : undefined),
    failure: item.kind === "failed" ? item.error.message : undefined,
    creditsRemaining: creditsOf(summary?.creditsRemaining)
  }
}

const creditsUsedIn = (item: RunItem): number => {
  const data = item.kind === "result" ? item.answer.data : "data" in item.error ? item.error.data : undefined
  return creditsOf(data?.summary?.creditsUsed) ?? 0
}

/** The feed after an item. */
export const tracked = (track: FeedTrack, item: FeedItem<unknown>): FeedTrack => {
  if (item.kind === "gap") {
    const gap = { why: item.why, missed: item.missed, afterMs: track.runs.at(-1)?.startedAtMs }
    return { ...track, gaps: [...track.gaps, gap].slice(-keptGaps) }
  }
  const run = runOf(item)
  return {
    ...track,
    runs: [...track.runs, run].slice(-keptRuns),
    succeeded: track.succeeded + (item.kind === "result" ? 1 : 0),
    failed: track.failed + (item.kind === "failed" ? 1 : 0),
    creditsUsed: track.creditsUsed + creditsUsedIn(item),
    places: item.kind === "result" ? [...run.numbers.keys()] : track.places
  }
}

/** The feed when its loop has ended. */
export const ended = (track: FeedTrack, why: string): FeedTrack => ({ ...track, end: why })
