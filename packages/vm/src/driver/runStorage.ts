/** The changes of one run to its program's storage so far, overlaid on the stored values (decision D44). */
import { type StorageView, type StorageWrite } from "@sibyl/core"
import { keysAfter, storageHex, storageLimits } from "@sibyl/core/internal"
import { decodeStorageAction, type StorageAction } from "../tape/storageAction.ts"
import { isTerminal, type Tape } from "../tape/tape.ts"

/** The changes of one run. */
export interface RunStorage {
  /** The current value of each changed key, `null` if it has none; keys and values as stored. */
  readonly writes: ReadonlyMap<string, string | null>
  /** The changed keys that have a stored value, with that value. */
  readonly before: ReadonlyMap<string, string>
}

/** A run without changes. */
export const untouched: RunStorage = { writes: new Map(), before: new Map() }

/** Maximum different keys that one run may change, including those without a value in the end. */
export const maxChangedKeys = 4 * storageLimits.keys

const changesOf = (action: StorageAction): ReadonlyArray<readonly [key: string, value: string | null]> => {
  switch (action.operation) {
    case "read":
      return []
    case "delete":
      return action.keys.map((key) => [storageHex(key), null])
    case "write":
      return action.values.map(([key, value]) => [storageHex(key), storageHex(value)])
  }
}

/** The keys whose stored values are needed to judge this action. */
export const keysOf = (action: StorageAction): ReadonlyArray<string> => [
  ...new Set(action.operation === "write" ? action.values.map(([key]) => storageHex(key)) : action.keys.map(storageHex))
]

/** The run's storage after a change, or why it is refused. `view` contains the action's own keys. */
export const changed = (run: RunStorage, action: StorageAction, view: StorageView): RunStorage | string => {
  const writes = new Map([...run.writes, ...changesOf(action)])
  const before = new Map([...run.before, ...view.values])
  if (writes.size > maxChangedKeys) return `one run changes at most ${maxChangedKeys} storage keys`
  return keysAfter({ keyCount: view.keyCount, values: before }, writes) > storageLimits.keys
    ? `a program keeps at most ${storageLimits.keys} keys`
    : { writes, before }
}

/** The changes to store at the end, each key once; deleting a key that was not stored is no change. */
export const changesIn = ({ before, writes }: RunStorage): ReadonlyArray<StorageWrite> =>
  [...writes].filter(([key, value]) => value !== null || before.has(key)).map(([key, value]) => ({ key, value }))

/**
 * The changes that a given tape has accepted, for a run that continues from it. The tape does not contain the stored values, so every key
 * counts as stored.
 */
export const storageOnTape = ({ entries }: Tape): RunStorage => {
  const writes = new Map<string, string | null>()
  for (const entry of entries) {
    if (isTerminal(entry) || entry.kind !== "storage" || !entry.answer.fulfilled) continue
    const reading = decodeStorageAction(entry.operation, entry.action)
    for (const [key, value] of reading.kind === "request" ? changesOf(reading.request) : []) writes.set(key, value)
  }
  return { writes, before: new Map([...writes].map(([key]) => [key, ""])) }
}
