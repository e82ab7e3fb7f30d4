/** Reproducible random numbers: the same seed gives the same numbers on every runtime. */

/** Draws from one seed. */
export class SeededRandom {
  #state: number

  constructor(seed: number) {
    this.#state = (Math.imul(seed, 0x2545_f491) ^ 0x9e37_79b9) >>> 0 || 1
    // The first numbers of neighbouring seeds are similar.
    for (let skipped = 0; skipped < 8; skipped += 1) this.#next()
  }

  /** Marsaglia's xorshift32 ("Xorshift RNGs", 2003). */
  #next(): number {
    let state = this.#state
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    this.#state = state >>> 0
    return this.#state
  }

  /** A whole number from 0 to below `below`. */
  below(below: number): number {
    return this.#next() % below
  }

  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1)
  }

  /** True with this probability, in percent. */
  percent(percent: number): boolean {
    return this.below(10_000) < percent * 100
  }

  /** One of these. Throws if there is none. */
  pick<Value>(values: ReadonlyArray<Value>): Value {
    const value = values[this.below(values.length)]
    if (value === undefined) throw new RangeError("nothing to pick from")
    return value
  }

  /** One of these, as often as its weight says. */
  weighted<Value extends { readonly weight: number }>(values: ReadonlyArray<Value>): Value {
    let left = this.below(values.reduce((sum, { weight }) => sum + weight, 0))
    for (const value of values) {
      left -= value.weight
      if (left < 0) return value
    }
    throw new RangeError("nothing to pick from")
  }

  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.below(256))
  }

  /** A generator of its own, so that what it draws does not depend on how often others draw. */
  fork(): SeededRandom {
    return new SeededRandom(this.#next())
  }
}
