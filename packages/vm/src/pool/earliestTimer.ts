/** One timer for many moments, of which only the next one counts. */

/**
 * Calls back at the earliest moment that it was asked for since it called last, when what the event loop has heard by then was dealt with.
 * Asking again for a later moment costs nothing, so what rarely happens can be asked for again and again.
 */
export class EarliestTimer {
  readonly #act: () => void
  #timer: NodeJS.Timeout | undefined
  #atMs = Infinity

  constructor(act: () => void) {
    this.#act = act
  }

  /** At this moment of `performance.now()`. */
  at(atMs: number): void {
    if (this.#atMs <= atMs) return
    clearTimeout(this.#timer)
    this.#atMs = atMs
    const inMs = Math.max(0, Math.ceil(atMs - performance.now()))
    this.#timer = setTimeout(() => setImmediate(() => this.#ring(atMs)), inMs)
  }

  /** Not at all, until it is asked again. */
  clear(): void {
    clearTimeout(this.#timer)
    this.#atMs = Infinity
  }

  #ring(atMs: number): void {
    // It was cleared meanwhile, or is to ring earlier.
    if (this.#atMs !== atMs) return
    this.#atMs = Infinity
    this.#act()
  }
}
