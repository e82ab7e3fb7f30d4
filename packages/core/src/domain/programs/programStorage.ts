/** What a program keeps between its runs: its limits, and a run's writes laid over what was there (decision D44). */

/** One key and what it holds from now on; `null` for nothing. Both are lowercase hex without `0x`. */
export interface StorageWrite {
  readonly key: string
  readonly value: string | null
}

/** What a store knows of some keys of one project's program. */
export interface StorageView {
  /** The keys that hold something. */
  readonly values: ReadonlyMap<string, string>
  /** How many keys the program has in all. */
  readonly keyCount: number
}

/** How much a program may keep for one project. */
export const storageLimits = { keyBytes: 256, valueBytes: 1_024, keys: 1_024 } as const

/** Hex as a program wrote it, in the one spelling that keys and values are kept in. */
export const storageHex = (hex: string): string => hex.replace(/^0x/i, "").toLowerCase()

/** What a key holds after the writes of this run. */
export const storedValue = (view: StorageView, writes: ReadonlyMap<string, string | null>, key: string): string | null => {
  const written = writes.get(key)
  return written === undefined ? (view.values.get(key) ?? null) : written
}

/** How many keys there are after the writes of this run; `view` has to know every key that is written. */
export const keysAfter = ({ keyCount, values }: StorageView, writes: ReadonlyMap<string, string | null>): number => {
  let count = keyCount
  for (const [key, value] of writes) {
    if (value !== null && !values.has(key)) count += 1
    if (value === null && values.has(key)) count -= 1
  }
  return count
}
