/** A result whose timestamp another server may have given out already. */
import { Data } from "effect"

/** The run was not charged: its result is to be signed again, with a timestamp that is its own. */
export class StaleTimestamp extends Data.TaggedError("StaleTimestamp")<{
  /** Milliseconds since the Unix epoch. */
  readonly timestampMs: number
}> {}
