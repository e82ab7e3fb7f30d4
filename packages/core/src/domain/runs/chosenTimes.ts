/** The timestamps that a server has chosen for results, in bounded memory. */

/** How many drIds are remembered with their last timestamp. */
const rememberedRequests = 16_384

/** How many names are looked at for one to forget. */
const mostPassedOver = 8

/**
 * Chooses timestamps that strictly increase for each name. The names used least recently are forgotten, with one time that none of theirs
 * exceeds: a forgotten name goes on above it.
 */
export class ChosenTimes {
  readonly #most: number
  readonly #lastMs = new Map<string, number>()
  #forgottenMs = Number.NEGATIVE_INFINITY

  constructor(most = rememberedRequests) {
    this.#most = most
  }

  /** max(wished, last + 1). */
  next(name: string, wishedMs: number): number {
    const lastMs = this.#lastMs.get(name) ?? this.#forgottenMs
    const timestampMs = wishedMs > lastMs ? wishedMs : lastMs + 1
    this.#remember(name, timestampMs)
    if (this.#lastMs.size > this.#most) this.#forget(wishedMs)
    return timestampMs
  }

  /** The store has given out this timestamp: the next one is later. */
  passed(name: string, timestampMs: number): void {
    this.#remember(name, Math.max(timestampMs, this.#lastMs.get(name) ?? this.#forgottenMs))
    if (this.#lastMs.size > this.#most) this.#forget(timestampMs)
  }

  #remember(name: string, timestampMs: number): void {
    this.#lastMs.delete(name)
    this.#lastMs.set(name, timestampMs)
  }

  /** One whose times have run ahead of the clock is passed over, so that the others need not follow it. */
  #forget(nowMs: number): void {
    let looked = 0
    for (const [name, lastMs] of this.#lastMs) {
      looked += 1
      if (lastMs > nowMs && looked < mostPassedOver) continue
      this.#lastMs.delete(name)
      this.#forgottenMs = Math.max(this.#forgottenMs, lastMs)
      return
    }
  }
}
