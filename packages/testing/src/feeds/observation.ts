/** What can be seen of one feed from outside: when it was asked for, its runs, its results, and when it was stopped. */

/** How a run ended: well, not well, or never begun because too many were in flight. */
export type RunOutcome = "ok" | "failed" | "refused"

/**
 * One run. A run that was refused ends where it would have begun; one still in flight when the watching ended has no
 * end.
 */
export interface ObservedRun {
  readonly startMs: number
  readonly endMs: number | undefined
  readonly outcome: RunOutcome
}

/** One result as it arrived. */
export interface ObservedResult {
  readonly atMs: number
  /** The run that it tells of, by its place among the starts, where the observer can know it; else undefined. */
  readonly run: number | undefined
  readonly outcome: RunOutcome
  /** What the result says of itself. The two times are of the wall clock and compared with each other only. */
  readonly seq: number
  readonly scheduledAtMs: number
  readonly startedAtMs: number
}

/**
 * Everything seen of one feed. All times but those inside of results are milliseconds of one clock of the observer's.
 */
export interface FeedObservation {
  /** When the feed was answered with its id. */
  readonly askedMs: number
  /** In the order of starts. */
  readonly runs: ReadonlyArray<ObservedRun>
  /** In the order of arrival. */
  readonly results: ReadonlyArray<ObservedResult>
  /** The answer to the stop, or the close: when, and after how many results. */
  readonly stopped: { readonly atMs: number; readonly afterResults: number } | undefined
  /** Until when somebody watched. */
  readonly watchedUntilMs: number
}
