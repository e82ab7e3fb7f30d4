/**
 * What comes and goes. From a `Map` or a `Set` of which as much is deleted as is added, V8 makes a new table after some tens of
 * additions. A table that has grown old keeps the next one from young collections, and that the one after it, and each keeps what was in
 * it when it was left: whatever was ever in such a map grows old, with everything that it refers to, and only a full collection takes it.
 * Here the tables have cells, which are emptied when they are deleted.
 */

/** A map that lets go of what is deleted. */
export class TransientMap<Key extends string | number, Value> {
  readonly #cells = new Map<Key, { value: Value | undefined }>()

  get size(): number {
    return this.#cells.size
  }

  get(key: Key): Value | undefined {
    return this.#cells.get(key)?.value
  }

  has(key: Key): boolean {
    return this.#cells.has(key)
  }

  set(key: Key, value: Value): void {
    const cell = this.#cells.get(key)
    if (cell === undefined) this.#cells.set(key, { value })
    else cell.value = value
  }

  /** Whether it was there. */
  delete(key: Key): boolean {
    const cell = this.#cells.get(key)
    if (cell === undefined) return false
    cell.value = undefined
    return this.#cells.delete(key)
  }

  clear(): void {
    for (const cell of this.#cells.values()) cell.value = undefined
    this.#cells.clear()
  }

  /** In the order in which the keys were added; what is deleted or added meanwhile is left out or comes, as with a `Map`. */
  *entries(): IterableIterator<[Key, Value]> {
    for (const [key, { value }] of this.#cells) yield [key, value as Value]
  }

  *values(): IterableIterator<Value> {
    for (const { value } of this.#cells.values()) yield value as Value
  }
}
