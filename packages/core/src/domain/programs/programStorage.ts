/** A program's storage between runs: its limits, and the view of it during a run that writes (decision D44). */

/** One key and its new value; `null` deletes it. Both are lowercase hex without `0x`. */
export interface StorageWrite {
  readonly key: string
  readonly value: string | null
}

/** What a store has for some keys of one project's program. */
export interface StorageView {
  /** The keys that have a value. */
  readonly values: ReadonlyMap<string, string>
  /** How many keys the program has in all. */
  readonly keyCount: number
}

/** How much a program may store for one project. */
export const storageLimits = { keyBytes: 256, valueBytes: 1_024, keys: 1_024 } as const

/** Normalizes a program's hex: lowercase without `0x`. */
export const storageHex = (hex: string): string => hex.replace(/^0x/i, "").toLowerCase()

/** The value of a key after the writes of this run. */
export const storedValue = (view: StorageView, writes: ReadonlyMap<string, string | null>, key: string): string | null => {
  const written = writes.get(key)
  return written === undefined ? (view.values.get(key) ?? null) : written
}

/** The number of keys after the writes of this run; `view` must contain every key that is written. */
export const keysAfter = ({ keyCount, values }: StorageView, writes: ReadonlyMap<string, string | null>): number => {
  let count = keyCount
  for (const [key, value] of writes) {
    if (value !== null && !values.has(key)) count += 1
    if (value === null && values.has(key)) count -= 1
  }
  return count
}
