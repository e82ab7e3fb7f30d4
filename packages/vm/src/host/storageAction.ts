/** The JSON with which a program asks for its storage (vm-abi, section 8; decision D44). */
import { isRecord, parseJson } from "./json.ts"

/** What a program may do with its storage. */
export type StorageOperation = "read" | "write" | "delete"

/** A decoded request. Keys and values are hex texts as the program wrote them. */
export type StorageAction =
  | { readonly operation: "read" | "delete"; readonly keys: ReadonlyArray<string> }
  | { readonly operation: "write"; readonly values: ReadonlyArray<readonly [key: string, value: string]> }

const isHex = (value: unknown): value is string =>
  typeof value === "string" && value.length % 2 === 0 && /^(0x)?[0-9a-fA-F]*$/.test(value)

const isHexPair = (pair: [string, unknown]): pair is [string, string] => isHex(pair[0]) && isHex(pair[1])

/** Reads an action of this operation; undefined when it is not one. */
export const decodeStorageAction = (operation: StorageOperation, action: Uint8Array): StorageAction | undefined => {
  const json = parseJson(action)
  if (!isRecord(json)) return undefined
  if (operation === "write") {
    const values = isRecord(json["values"]) ? Object.entries(json["values"]) : undefined
    return values !== undefined && values.every(isHexPair) ? { operation, values } : undefined
  }
  const keys: unknown = json["keys"]
  return Array.isArray(keys) && keys.every(isHex) ? { operation, keys } : undefined
}
