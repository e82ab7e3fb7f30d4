/** When whoever was refused for overload may come again, by what the service has measured. */

/** `Retry-After` of a refusal says at least so many seconds: it has no fractions, and 0 would ask for the same refusal. */
export const leastRetryAfterSeconds = 1

/** It says at most so many seconds: an overload that is over sooner must not keep clients away. */
export const mostRetryAfterSeconds = 30

/** A queue that has stood for less than this is a burst: how fast it is worked off has not been measured yet. In ms. */
export const pacedAfterMs = 2_000

/** What is ahead of whoever comes again. */
export interface Backlog {
  /** Requests that wait for their first turn. */
  readonly waiting: number
  /** How many were taken in during the last second. */
  readonly takenPerSecond: number
  /** How long some have been waiting without a break, in ms. */
  readonly standingMs: number
}

/** How long the requests that wait will take to be taken in, in ms; if none is taken in, as long again as they have waited. */
export const expectedWaitMs = ({ standingMs, takenPerSecond, waiting }: Backlog): number => {
  if (waiting === 0 || standingMs < pacedAfterMs) return 0
  return takenPerSecond === 0 ? standingMs : (waiting / takenPerSecond) * 1_000
}

/** The time until a limit frees a place, in whole seconds for `Retry-After`: it is known, so it may be long. */
export const secondsUntil = (freeAtMs: number, nowMs: number): number =>
  Math.max(leastRetryAfterSeconds, Math.ceil((freeAtMs - nowMs) / 1_000))

/** A wait in ms, of 0 or more, in whole seconds for `Retry-After`. */
export const retryAfterSeconds = (waitMs: number): number =>
  Math.min(mostRetryAfterSeconds, Math.max(leastRetryAfterSeconds, Math.ceil(waitMs / 1_000)))
