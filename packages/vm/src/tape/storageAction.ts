/** The JSON of a program's storage calls (docs/PROGRAMS.md; decision D44). */
import { isRecord, parseJson } from "./json.ts"
import { refusedAs, unreadable, type Reading } from "./reading.ts"

/** The storage operations. */
export type StorageOperation = "read" | "write" | "delete"

/** How much a program may store (decision D44): the same numbers as in core, repeated because workers do not load core. */
export const storageBounds = { keyBytes: 256, valueBytes: 1_024, keys: 1_024 } as const

/** A decoded request. Keys and values are hex texts as the program wrote them. */
export type StorageAction =
  | { readonly operation: "read"; readonly keys: ReadonlyArray<string> }
  | { readonly operation: "delete"; readonly keys: ReadonlyArray<string> }
  | { readonly operation: "write"; readonly values: ReadonlyArray<readonly [key: string, value: string]> }

const isHex = (value: unknown): value is string => typeof value === "string" && value.length % 2 === 0 && /^(0x)?[0-9a-fA-F]*$/.test(value)

const isHexPair = (pair: [string, unknown]): pair is [string, string] => isHex(pair[0]) && isHex(pair[1])

const isLonger = (hex: string, maxBytes: number): boolean => hex.length - (hex.startsWith("0x") ? 2 : 0) > 2 * maxBytes

const { keyBytes, keys: mostKeys, valueBytes } = storageBounds

const tooMany = refusedAs(`one call names at most ${mostKeys} storage keys`)
const keyTooLong = refusedAs(`a storage key has at most ${keyBytes} bytes`)
const valueTooLong = refusedAs(`a storage value has at most ${valueBytes} bytes`)

const readKeys = (operation: "read" | "delete", keys: unknown): Reading<StorageAction> => {
  if (!Array.isArray(keys)) return unreadable
  if (keys.length > mostKeys) return tooMany
  if (!keys.every(isHex)) return unreadable
  return keys.some((key) => isLonger(key, keyBytes)) ? keyTooLong : { kind: "request", request: { operation, keys } }
}

const readValues = (given: unknown): Reading<StorageAction> => {
  if (!isRecord(given)) return unreadable
  const values = Object.entries(given)
  if (values.length > mostKeys) return tooMany
  if (!values.every(isHexPair)) return unreadable
  if (values.some(([key]) => isLonger(key, keyBytes))) return keyTooLong
  return values.some(([, value]) => isLonger(value, valueBytes))
    ? valueTooLong
    : { kind: "request", request: { operation: "write", values } }
}

/** Decodes an action of this operation. */
export const decodeStorageAction = (operation: StorageOperation, bytes: Uint8Array): Reading<StorageAction> => {
  const json = parseJson(bytes)
  if (json.kind !== "request") return json
  if (!isRecord(json.request)) return unreadable
  return operation === "write" ? readValues(json.request["values"]) : readKeys(operation, json.request["keys"])
}
