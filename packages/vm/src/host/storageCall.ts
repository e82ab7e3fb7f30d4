/** What the three storage functions share: pay for the action, ask the host, make the promise pending. */
import { i32, type HostFunction } from "./hostFunction.ts"
import { callPrice, checkedLength, priceOfBytes } from "./hostPrices.ts"
import { settlePending } from "./httpFetch.ts"
import { promiseJson } from "./promiseJson.ts"
import { decodeStorageAction, type StorageOperation } from "./storageAction.ts"
import { trap } from "./unwind.ts"

/** `seda_v1.storage_OPERATION(ptr, len) -> pending length`, execution phase only. Only reads pay for their answer. */
export const storageCall = (operation: StorageOperation): HostFunction => ({
  family: "seda_v1",
  name: `storage_${operation}`,
  parameters: [i32, i32],
  results: [i32],
  phases: ["exec"],
  bind: (state) => (pointer: number, length: number) => {
    const base = operation === "read" ? callPrice.storageRead : callPrice.storageChange
    state.gas.charge(priceOfBytes(base, checkedLength(state.phase, length)))
    const action = state.memory.read(pointer, length).slice()
    const request = decodeStorageAction(operation, action) ?? trap(`storage_${operation}: the action cannot be read`)
    const { bytes, fulfilled } = state.replay.answer({ kind: "storage", action, request })
    const pending = promiseJson(fulfilled, bytes)
    if (operation === "read") return settlePending(state, pending)
    state.pending = pending
    return pending.length
  }
})
