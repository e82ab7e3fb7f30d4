/** Shared by the three storage functions: charge for the action, ask the host, make the promise pending. */
import type { StorageAnswer } from "../../tape/tape.ts"
import { callRefusal } from "../state/callRefusal.ts"
import { i32, type HostFunction } from "../state/hostFunction.ts"
import { callPrice, checkedLength, priceOfBytes } from "../state/hostPrices.ts"
import type { HostState } from "../state/hostState.ts"
import { settlePending } from "./fetchCall.ts"
import { promiseJson, rejection } from "../../tape/promiseJson.ts"
import { decodeStorageAction, type StorageOperation } from "../../tape/storageAction.ts"
import { trap } from "../state/unwind.ts"

const answerTo = (state: HostState, operation: StorageOperation, action: Uint8Array): StorageAnswer => {
  const refusal = callRefusal(state, action.length, "storageActionBytes")
  if (refusal !== undefined) return rejection(refusal)
  const recorded = state.replay.storage(operation, action)
  if (recorded !== undefined) return recorded
  const reading = decodeStorageAction(operation, action)
  if (reading.kind === "refused") return rejection(reading.message)
  if (reading.kind === "unreadable") return trap(`storage_${operation}: the action cannot be read`)
  return state.replay.ask({ kind: "storage", action: action.slice(), request: reading.request })
}

/** `seda_v1.storage_OPERATION(ptr, len) -> pending length`, execution phase only. Only reads are charged for their answer. */
export const storageCall = (operation: StorageOperation): HostFunction => ({
  family: "seda_v1",
  name: `storage_${operation}`,
  parameters: [i32, i32],
  results: [i32],
  phases: ["exec"],
  bind: (state) => (pointer: number, length: number) => {
    const base = operation === "read" ? callPrice.storageRead : callPrice.storageChange
    state.gas.charge(priceOfBytes(base, checkedLength(state.phase, length)))
    const { bytes, fulfilled } = answerTo(state, operation, state.memory.read(pointer, length))
    const pending = promiseJson(fulfilled, bytes)
    if (operation === "read") return settlePending(state, pending)
    state.pending = pending
    return pending.length
  }
})
