/** A map that keeps what was used last. */

/** Holds at most `capacity` values and forgets the one that was not used for the longest time. */
export class RecentMap<Value> {
  private readonly values = new Map<string, Value>()
  private readonly capacity: number

  constructor(capacity: number) {
    this.capacity = capacity
  }

  /** The value under a key, which counts as used now. */
  get(key: string): Value | undefined {
    const value = this.values.get(key)
    if (value !== undefined) this.set(key, value)
    return value
  }

  /** The value under a key, which does not count as a use. */
  peek(key: string): Value | undefined {
    return this.values.get(key)
  }

  /** Puts a value under a key. */
  set(key: string, value: Value): void {
    this.values.delete(key)
    this.values.set(key, value)
    if (this.values.size <= this.capacity) return
    for (const oldest of this.values.keys()) {
      this.values.delete(oldest)
      return
    }
  }
}
