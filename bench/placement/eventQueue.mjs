// @ts-check
/** What happens next: a binary heap of moments, each with a number that says what happens then. */

/** The queue. Moments are in milliseconds; what is added at one moment comes out in no particular order. */
export class EventQueue {
  /** @type {Array<number>} */
  #moments = []
  /** @type {Array<number>} */
  #events = []

  get size() {
    return this.#moments.length
  }

  /** The moment of the next event; `Infinity` if there is none. */
  get nextMs() {
    return this.#moments[0] ?? Number.POSITIVE_INFINITY
  }

  /**
   * @param {number} atMs
   * @param {number} event
   */
  add(atMs, event) {
    const moments = this.#moments
    const events = this.#events
    let at = moments.length
    while (at > 0) {
      const above = (at - 1) >> 1
      const aboveMs = moments[above] ?? 0
      if (aboveMs <= atMs) break
      moments[at] = aboveMs
      events[at] = events[above] ?? 0
      at = above
    }
    moments[at] = atMs
    events[at] = event
  }

  /**
   * Takes the next event out of a queue that is not empty.
   * @returns {number}
   */
  take() {
    const moments = this.#moments
    const events = this.#events
    const first = events[0] ?? 0
    const lastMs = moments.pop() ?? 0
    const last = events.pop() ?? 0
    const size = moments.length
    if (size === 0) return first
    let at = 0
    for (;;) {
      let below = 2 * at + 1
      if (below >= size) break
      if (below + 1 < size && (moments[below + 1] ?? 0) < (moments[below] ?? 0)) below += 1
      const belowMs = moments[below] ?? 0
      if (belowMs >= lastMs) break
      moments[at] = belowMs
      events[at] = events[below] ?? 0
      at = below
    }
    moments[at] = lastMs
    events[at] = last
    return first
  }
}
