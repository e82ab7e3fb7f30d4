/** The storage of one run against the simplest model: a map that is changed as the program requests. */
import { type StorageView } from "@sibyl/core"
import { storageLimits } from "@sibyl/core/internal"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { StorageAction } from "../tape/storageAction.ts"
import { changed, changesIn, keysOf, maxChangedKeys, type RunStorage, storageOnTape, untouched } from "./runStorage.ts"

const keys = (from: number, count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, at) => (from + at).toString(16).padStart(8, "0"))

const viewOf = (stored: ReadonlyMap<string, string>, asked: ReadonlyArray<string>): StorageView => ({
  values: new Map(asked.flatMap((key) => (stored.has(key) ? [[key, stored.get(key) ?? ""] as const] : []))),
  keyCount: stored.size
})

const after = (run: RunStorage, action: StorageAction, stored: ReadonlyMap<string, string>): RunStorage | string =>
  changed(run, action, viewOf(stored, keysOf(action)))

const deleting = (names: ReadonlyArray<string>): StorageAction => ({ operation: "delete", keys: names })
const writing = (names: ReadonlyArray<string>): StorageAction => ({
  operation: "write",
  values: names.map((key) => [key, "01"])
})

const name = fc.constantFrom("0a", "0b", "0c", "0xAA", "aa")
const action: fc.Arbitrary<StorageAction> = fc.oneof(
  fc.array(name).map(deleting),
  fc
    .dictionary(name, fc.constantFrom("", "01", "0xFF"))
    .map((values): StorageAction => ({ operation: "write", values: Object.entries(values) }))
)

const kept = (hex: string): string => hex.replace("0x", "").toLowerCase()

describe("the storage of one run", () => {
  it("equals a map after the same actions, and lists no key twice", () => {
    fc.assert(
      fc.property(fc.dictionary(name.map(kept), fc.constant("77")), fc.array(action), (before, actions) => {
        const stored = new Map(Object.entries(before))
        const model = new Map(stored)
        let run: RunStorage = untouched
        for (const one of actions) {
          const next = after(run, one, stored)
          if (typeof next === "string") throw new Error(next)
          run = next
          if (one.operation === "write") for (const [key, value] of one.values) model.set(kept(key), kept(value))
          else for (const key of one.keys) model.delete(kept(key))
        }
        const changes = changesIn(run)
        expect(new Set(changes.map(({ key }) => key)).size).toBe(changes.length)
        const result = new Map(stored)
        for (const { key, value } of changes) {
          if (value === null) expect(result.delete(key)).toBe(true)
          else result.set(key, value)
        }
        expect(result).toEqual(model)
      })
    )
  })

  it("has at most 1,024 keys in the store and the run together", () => {
    const stored = new Map(keys(0, 1_000).map((key) => [key, "00"]))
    expect(after(untouched, writing(keys(1_000, 24)), stored)).toMatchObject({ writes: expect.any(Map) as unknown })
    expect(after(untouched, writing(keys(1_000, 25)), stored)).toBe("a program keeps at most 1024 keys")
    const deleted = after(untouched, deleting(keys(0, 10)), stored)
    if (typeof deleted === "string") throw new Error(deleted)
    expect(after(deleted, writing(keys(1_000, 34)), stored)).toMatchObject({ writes: expect.any(Map) as unknown })
    expect(after(deleted, writing(keys(1_000, 35)), stored)).toBe("a program keeps at most 1024 keys")
  })

  it("changes a limited number of keys, in any number of calls", () => {
    let run: RunStorage = untouched
    for (let from = 0; from < maxChangedKeys; from += storageLimits.keys) {
      const next = after(run, deleting(keys(from, storageLimits.keys)), new Map())
      if (typeof next === "string") throw new Error(next)
      run = next
    }
    expect(after(run, deleting(keys(0, 1)), new Map())).toMatchObject({ writes: expect.any(Map) as unknown })
    expect(after(run, deleting(["ffffffff"]), new Map())).toBe("one run changes at most 4096 storage keys")
    expect(changesIn(run)).toEqual([])
  })

  it("is restored from a tape with answers", () => {
    const entry = (text: string, fulfilled: boolean) => ({
      kind: "storage" as const,
      operation: "write" as const,
      action: new TextEncoder().encode(text),
      atMs: 0,
      answer: { fulfilled, bytes: new Uint8Array() }
    })
    const entries = [entry('{"values":{"0x0A":"0b"}}', true), entry('{"values":{"0a":"0c"}}', false)]
    expect(changesIn(storageOnTape({ startTimeMs: 0, seed: new Uint8Array(32), entries }))).toEqual([{ key: "0a", value: "0b" }])
  })
})
