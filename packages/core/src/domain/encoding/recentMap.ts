/** A map of bounded size that keeps what is used. */

/**
 * Entries in two generations: when the young one is full, it becomes the old one and the previous old one is dropped. A hit moves
 * an entry to the young generation, so unused entries are evicted, and a lookup stays cheap.
 */
export class RecentMap<Value extends object> {
  readonly #capacity: number
  readonly #weigh: (value: Value) => number
  #young = new Map<string, Value>()
  #old = new Map<string, Value>()
  #weight = 0

  /** `capacity` is the weight of a generation; there are two. Every entry weighs 1 unless `weigh` says otherwise. */
  constructor(capacity: number, weigh: (value: Value) => number = () => 1) {
    this.#capacity = capacity
    this.#weigh = weigh
  }

  get(name: string): Value | undefined {
    const young = this.#young.get(name)
    if (young !== undefined) return young
    const old = this.#old.get(name)
    if (old !== undefined) this.set(name, old)
    return old
  }

  set(name: string, value: Value): void {
    const before = this.#young.get(name)
    this.#weight += this.#weigh(value) - (before === undefined ? 0 : this.#weigh(before))
    this.#young.set(name, value)
    if (this.#weight < this.#capacity) return
    this.#old = this.#young
    this.#young = new Map()
    this.#weight = 0
  }

  delete(name: string): void {
    const young = this.#young.get(name)
    if (young !== undefined) this.#weight -= this.#weigh(young)
    this.#young.delete(name)
    this.#old.delete(name)
  }

  clear(): void {
    this.#young.clear()
    this.#old.clear()
    this.#weight = 0
  }
}
