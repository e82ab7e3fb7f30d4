/** What a program's storage answers within one run: what was kept before, with the run's own writes over it (decision D44). */
import {
  type PhaseRequest,
  storageHex,
  storedValue,
  type StorageView,
  type StorageWrite,
  writeRefusal
} from "@sibyl/core"
import { Effect } from "effect"
import { decodeStorageAction, type StorageAction } from "../host/storageAction.ts"
import { isTerminal, type StorageAnswer, type Tape } from "../pass/tape.ts"

const text = (fulfilled: boolean, message: string): StorageAnswer => ({
  fulfilled,
  bytes: new TextEncoder().encode(message)
})

/** The keys that an action changes, and to what. */
const changesOf = (action: StorageAction): ReadonlyArray<StorageWrite> => {
  switch (action.operation) {
    case "read":
      return []
    case "delete":
      return action.keys.map((key) => ({ key: storageHex(key), value: null }))
    case "write":
      return action.values.map(([key, value]) => ({ key: storageHex(key), value: storageHex(value) }))
  }
}

/** Every change on a tape that was granted, in its order. */
export const storageChangesOn = (tape: Tape): ReadonlyArray<StorageWrite> =>
  tape.entries.flatMap((entry) => {
    if (isTerminal(entry) || entry.kind !== "storage" || !entry.answer.fulfilled) return []
    const action = decodeStorageAction(entry.operation, entry.action)
    return action === undefined ? [] : changesOf(action)
  })

const laidOver = (changes: ReadonlyArray<StorageWrite>): Map<string, string | null> =>
  new Map(changes.map(({ key, value }) => [key, value]))

const bytesOfHex = (hex: string): ReadonlyArray<number> =>
  Array.from({ length: hex.length / 2 }, (_, at) => Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16))

/** `{"key as the program wrote it":[bytes]|null}`. */
const readText = (
  keys: ReadonlyArray<string>,
  view: StorageView,
  writes: ReadonlyMap<string, string | null>
): string => {
  const members = new Map<string, ReadonlyArray<number> | null>()
  for (const key of keys) {
    const value = storedValue(view, writes, storageHex(key))
    members.set(key, value === null ? null : bytesOfHex(value))
  }
  return `{${[...members].map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(",")}}`
}

/** Answers one action. Nothing is kept by it: what the run may keep is decided when the run has ended. */
export const answerStorage = (
  action: StorageAction,
  storage: PhaseRequest["storage"],
  tape: Tape
): Effect.Effect<StorageAnswer> => {
  if (storage === undefined) return Effect.succeed(text(false, "storage is not enabled"))
  const before = laidOver(storageChangesOn(tape))
  if (action.operation === "read") {
    return Effect.map(storage.read(action.keys.map(storageHex)), (view) =>
      text(true, readText(action.keys, view, before)))
  }
  const after = laidOver([...storageChangesOn(tape), ...changesOf(action)])
  return Effect.map(storage.read([...after.keys()]), (view) => {
    const refusal = writeRefusal(view, after)
    return refusal === undefined ? text(true, "") : text(false, refusal)
  })
}
