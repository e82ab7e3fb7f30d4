/** How long another process's lock on the file is waited for. */

/** After this time without a locked statement, the next lock counts as a new one. */
const newLockMs = 1_000

/** The pauses between tries double from 2 ms up to this. */
const longestPauseMs = 50

/** The pause before a try, in ms; `tries` were made while waiting. */
export const pauseMs = (tries: number): number => Math.min(longestPauseMs, 2 ** (tries + 1))

/**
 * A lock is waited for `mostMs` in total, over all callers: once it has lasted that long, later callers try once and are refused, so that
 * waits behind one lock do not add up.
 */
export class Patience {
  readonly #mostMs: number
  #sinceMs = 0
  #lastMs = Number.NEGATIVE_INFINITY

  constructor(mostMs: number) {
    this.#mostMs = mostMs
  }

  /** A lock was met at `nowMs`: whether it has been waited for long enough. */
  isOver(nowMs: number): boolean {
    if (nowMs - this.#lastMs > newLockMs) this.#sinceMs = nowMs
    this.#lastMs = nowMs
    return nowMs - this.#sinceMs >= this.#mostMs
  }

  /** We had the lock ourselves: no other process has held it all the time. */
  hadTheLock(): void {
    this.#lastMs = Number.NEGATIVE_INFINITY
  }
}
