/** The answers of a program's storage within one run: the stored values overlaid by the run's own writes (decision D44). */
import { type PhaseRequest, type StorageView } from "@sibyl/core"
import { storageHex, storedValue } from "@sibyl/core/internal"
import { Effect } from "effect"
import type { StorageAction } from "../tape/storageAction.ts"
import { rejection } from "../tape/promiseJson.ts"
import type { StorageAnswer } from "../tape/tape.ts"
import { changed, keysOf, type RunStorage } from "./runStorage.ts"

/** An answer, and the run's storage after it. */
export interface AnsweredStorage {
  readonly answer: StorageAnswer
  readonly after: RunStorage
}

const fulfilled = (text: string): StorageAnswer => ({ fulfilled: true, bytes: new TextEncoder().encode(text) })

/** The decimal digits for each byte's hex: the store encodes values with two characters per byte. */
const decimalOf = new Map(Array.from({ length: 256 }, (_, byte) => [byte.toString(16).padStart(2, "0"), String(byte)] as const))

const bytesText = (hex: string): string => {
  const numbers: Array<string> = []
  for (let at = 0; at < hex.length; at += 2) numbers.push(decimalOf.get(hex.slice(at, at + 2)) ?? "")
  return `[${numbers.join(",")}]`
}

/** `{"key as the program wrote it":[bytes]|null}`. */
const readText = (keys: ReadonlyArray<string>, view: StorageView, { writes }: RunStorage): string => {
  const members = [...new Set(keys)].map((key) => {
    const value = storedValue(view, writes, storageHex(key))
    return `${JSON.stringify(key)}:${value === null ? "null" : bytesText(value)}`
  })
  return `{${members.join(",")}}`
}

const bounded = (answer: StorageAnswer, maxBytes: number): StorageAnswer =>
  answer.bytes.length > maxBytes ? rejection(`what these keys hold is more than the ${maxBytes} bytes that this phase has left`) : answer

/** Answers one action with at most `maxBytes`. It stores nothing: the run's changes are stored only after the run has ended. */
export const answerStorage = (
  action: StorageAction,
  storage: PhaseRequest["storage"],
  run: RunStorage,
  maxBytes: number
): Effect.Effect<AnsweredStorage> => {
  if (storage === undefined) return Effect.succeed({ answer: rejection("storage is not enabled"), after: run })
  return Effect.map(storage.read(keysOf(action)), (view) => {
    if (action.operation === "read") return { answer: bounded(fulfilled(readText(action.keys, view, run)), maxBytes), after: run }
    const after = changed(run, action, view)
    return typeof after === "string" ? { answer: rejection(after), after: run } : { answer: fulfilled(""), after }
  })
}
