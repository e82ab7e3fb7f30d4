/** How long a request may wait for its first turn: less while requests arrive faster than they are taken in. */

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
