/** A violation of a feed's laws, as the judge reports it. */

/** The laws of feeds. */
export type FeedLawName =
  /** Run 0 starts right after the reply with the feed's id. */
  | "first-run"
  /** Every run starts when its mode says, neither before nor after, and none is missing. */
  | "start"
  /** Runs of a FIXED or SEQUENTIAL feed never overlap. */
  | "overlap"
  /** A PARALLEL run is refused exactly when as many as allowed are in flight. */
  | "overlap-limit"
  /** No run starts and no result arrives after a stop or a close. */
  | "after-stop"
  /** Every run that ended has exactly one result. */
  | "one-result"
  /** Results arrive in the order in which their runs ended. */
  | "result-order"
  /** A result arrives when its run ends. */
  | "result-time"
  /** A failed run is reported as failed, a successful one as successful. */
  | "outcome"
  /** `seq` counts 0, 1, 2 ... in the order of starts. */
  | "seq"
  /** `scheduledAt` and `startedAt` state when the run was due and when it started, whatever the wall clock does. */
  | "times"

/** One violation. */
export interface FeedViolation {
  readonly law: FeedLawName
  readonly message: string
}
