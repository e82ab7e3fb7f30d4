/** Decoding storage actions: which ones are refused without a request to the store. */
import { storageLimits } from "@sibyl/core/internal"
import { describe, expect, it } from "vitest"
import { decodeStorageAction, storageBounds, type StorageOperation } from "./storageAction.ts"

const decode = (operation: StorageOperation, action: unknown) =>
  decodeStorageAction(operation, new TextEncoder().encode(JSON.stringify(action)))

const keys = (count: number): ReadonlyArray<string> => Array.from({ length: count }, (_, at) => at.toString(16).padStart(8, "0"))

const hex = (bytes: number): string => "ab".repeat(bytes)

describe("a storage action", () => {
  it("has the same bounds as the stores", () => {
    expect(storageBounds).toEqual(storageLimits)
  })

  it.each(["read", "delete"] as const)("to %s has bounds for the number and length of keys, with or without 0x", (operation) => {
    const most = [...keys(1_022), hex(256), `0x${hex(256)}`]
    expect(decode(operation, { keys: most })).toEqual({ kind: "request", request: { operation, keys: most } })
    const refused = (message: string) => ({ kind: "refused", message })
    expect(decode(operation, { keys: keys(1_025) })).toEqual(refused("one call names at most 1024 storage keys"))
    expect(decode(operation, { keys: keys(400_000) })).toEqual(refused("one call names at most 1024 storage keys"))
    expect(decode(operation, { keys: [hex(257)] })).toEqual(refused("a storage key has at most 256 bytes"))
    expect(decode(operation, { keys: [`0x${hex(257)}`] })).toEqual(refused("a storage key has at most 256 bytes"))
  })

  it("to write has a bound for values too", () => {
    const values = (key: string, value: string) => ({ values: { [key]: value } })
    expect(decode("write", values(hex(256), hex(1_024)))).toMatchObject({ kind: "request" })
    expect(decode("write", values(hex(257), ""))).toMatchObject({ message: "a storage key has at most 256 bytes" })
    expect(decode("write", values("", hex(1_025)))).toMatchObject({ message: "a storage value has at most 1024 bytes" })
    expect(decode("write", { values: Object.fromEntries(keys(1_025).map((key) => [key, ""])) })).toMatchObject({
      message: "one call names at most 1024 storage keys"
    })
  })

  it("that is another action, or no JSON, is unreadable", () => {
    for (const action of [null, [], {}, { keys: "ab" }, { keys: ["abc"] }, { keys: ["zz"] }, { keys: [1] }, "["]) {
      expect(decode("read", action)).toEqual({ kind: "unreadable" })
    }
    expect(decodeStorageAction("read", Uint8Array.of(0xff))).toEqual({ kind: "unreadable" })
  })
})
