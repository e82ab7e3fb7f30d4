/** A store that cannot be used now: locked by another process, unreachable, or full. */
import { Cause, Chunk, Option } from "effect"

/**
 * It is raised as a defect, because callers can do nothing about it; clients see 503 `Unavailable`. If only the answer was
 * lost, the operation may have been carried out.
 */
export class StoreUnavailable extends Error {
  readonly _tag = "StoreUnavailable"

  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = "StoreUnavailable"
  }
}

/** The first {@link StoreUnavailable} in a cause. */
export const storeUnavailableIn = (cause: Cause.Cause<unknown>): StoreUnavailable | undefined =>
  Option.getOrUndefined(Chunk.findFirst(Cause.defects(cause), (defect) => defect instanceof StoreUnavailable))
