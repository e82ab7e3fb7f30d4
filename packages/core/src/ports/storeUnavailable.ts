/** A store that cannot be reached now: locked by others, away, or without room. */
import { Cause, Chunk, Option } from "effect"

/**
 * It travels as a defect through code that can do nothing about it; clients see 503 `Unavailable`. What was asked may
 * have been done where only the answer was lost.
 */
export class StoreUnavailable extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = "StoreUnavailable"
  }
}

/** The first {@link StoreUnavailable} in a cause. */
export const storeUnavailableIn = (cause: Cause.Cause<unknown>): StoreUnavailable | undefined =>
  Option.getOrUndefined(Chunk.findFirst(Cause.defects(cause), (defect) => defect instanceof StoreUnavailable))
