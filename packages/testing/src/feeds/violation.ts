/** A breach of a feed's laws, as the judge reports it. */

/** What a feed may be found guilty of. */
export type FeedLawName =
  /** Run 0 starts right after the answer with the feed's id. */
  | "first-run"
  /** Every run starts when its mode says, neither before nor after, and none is missing. */
  | "start"
  /** Runs of a FIXED or SEQUENTIAL feed never overlap. */
  | "overlap"
  /** A PARALLEL run is refused exactly when as many as allowed are in flight. */
  | "overlap-limit"
  /** Neither run nor result comes after a stop or a close. */
  | "after-stop"
  /** Every run that ended has one result, and only one. */
  | "one-result"
  /** Results come in the order in which their runs ended. */
  | "result-order"
  /** A result comes when its run ends. */
  | "result-time"
  /** A failed run is told as failed, a good one as good. */
  | "outcome"
  /** `seq` counts 0, 1, 2 ... in the order of starts. */
  | "seq"
  /** `scheduledAt` and `startedAt` tell when the run was due and when it started, whatever the wall clock does. */
  | "times"

/** One breach. */
export interface FeedViolation {
  readonly law: FeedLawName
  readonly message: string
}
