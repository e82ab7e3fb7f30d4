/** How long a request may wait for its first turn, and behind how many: less while requests arrive faster than they are taken in. */

/** The queue of requests that have not begun. */
export interface WaitingQueue {
  /** Monotonic time in ms at which the queue was empty last. */
  readonly emptyAtMs: number
}

/** A queue that has not been empty for this long is no burst: it stands, and waiting in it only makes answers late. */
export const standingAfterMs = 5_000

/** How long a request may wait in a queue that stands, in ms. */
export const shortPatienceMs = 1_000

/** How long a request may wait in a burst, in ms. */
export const longPatienceMs = 5_000

/** How long a request that is taken in at this moment may have waited, in ms. */
export const patienceMs = ({ emptyAtMs }: WaitingQueue, nowMs: number): number =>
  nowMs - emptyAtMs > standingAfterMs ? shortPatienceMs : longPatienceMs

/** Requests that may wait for their first turn in a burst. A project may have as many as are free, as with runs. */
export const maxWaiting = 1_000

/** Requests that may wait in any case, so that a service that has taken in nothing for a second can find out what it carries. */
export const minWaiting = 32

/**
 * How many requests may wait at this moment. In a queue that stands, only as many as are taken in within their patience: whoever came behind
 * them would be refused after the wait, and is refused at once instead.
 */
export const mostWaiting = (queue: WaitingQueue, takenPerSecond: number, nowMs: number): number => {
  if (nowMs - queue.emptyAtMs <= standingAfterMs) return maxWaiting
  return Math.min(maxWaiting, Math.max(minWaiting, Math.ceil((takenPerSecond * shortPatienceMs) / 1_000)))
}
