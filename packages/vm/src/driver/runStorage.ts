/** What one run has changed in its program's storage so far, laid over what was kept before (decision D44). */
import { type StorageView, type StorageWrite } from "@sibyl/core"
import { keysAfter, storageHex, storageLimits } from "@sibyl/core/internal"
import { decodeStorageAction, type StorageAction } from "../tape/storageAction.ts"
import { isTerminal, type Tape } from "../tape/tape.ts"

/** The changes of one run. */
export interface RunStorage {
  /** What each changed key holds now, `null` for nothing; keys and values as they are kept. */
  readonly writes: ReadonlyMap<string, string | null>
  /** The changed keys that hold something in the store, with it. */
  readonly before: ReadonlyMap<string, string>
}

/** A run that has changed nothing. */
export const untouched: RunStorage = { writes: new Map(), before: new Map() }

/** Different keys that one run may change, those included that hold nothing in the end. */
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

/** The keys that the store has to be asked about before this action can be judged. */
export const keysOf = (action: StorageAction): ReadonlyArray<string> => [
  ...new Set(action.operation === "write" ? action.values.map(([key]) => storageHex(key)) : action.keys.map(storageHex))
]

/** The run's storage after a change, or why it is refused. `view` knows the action's own keys. */
export const changed = (run: RunStorage, action: StorageAction, view: StorageView): RunStorage | string => {
  const writes = new Map([...run.writes, ...changesOf(action)])
  const before = new Map([...run.before, ...view.values])
  if (writes.size > maxChangedKeys) return `one run changes at most ${maxChangedKeys} storage keys`
  return keysAfter({ keyCount: view.keyCount, values: before }, writes) > storageLimits.keys
    ? `a program keeps at most ${storageLimits.keys} keys`
    : { writes, before }
}

/** What the run wants to keep from now on, each key once; taking away what was not there changes nothing. */
export const changesIn = ({ before, writes }: RunStorage): ReadonlyArray<StorageWrite> =>
  [...writes].filter(([key, value]) => value !== null || before.has(key)).map(([key, value]) => ({ key, value }))

/**
 * The changes that a given tape has granted, for a run that goes on from it. It does not say what the store held, so
 * every key counts as held.
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
