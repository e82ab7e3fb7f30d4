/** What can be observed of one feed from outside: its start request, its runs, its results, and its stop. */

/** How a run ended: successfully, with a failure, or refused because too many were in flight. */
export type RunOutcome = "ok" | "failed" | "refused"

/** One run. A refused run ends when it would have started; one still in flight at the end of the observation has no end. */
export interface ObservedRun {
  readonly startMs: number
  readonly endMs: number | undefined
  readonly outcome: RunOutcome
}

/** One result as it arrived. */
export interface ObservedResult {
  readonly atMs: number
  /** The index of its run among the starts, if the observer knows it. */
  readonly run: number | undefined
  readonly outcome: RunOutcome
  /** The content of the result. The two times are of the wall clock and are compared only with each other. */
  readonly seq: number
  readonly scheduledAtMs: number
  readonly startedAtMs: number
}

/** The observation of one feed. All times except those in results are milliseconds of the observer's clock. */
export interface FeedObservation {
  /** When the feed was answered with its id. */
  readonly askedMs: number
  /** In the order of starts. */
  readonly runs: ReadonlyArray<ObservedRun>
  /** In the order of arrival. */
  readonly results: ReadonlyArray<ObservedResult>
  /** The reply to the stop, or the close: when, and after how many results. */
  readonly stopped: { readonly atMs: number; readonly afterResults: number } | undefined
  /** The end of the observation. */
  readonly watchedUntilMs: number
}
