/** `seda_v1.http_fetch(ptr, len) -> pending length`: one HTTP request in the execution phase, a refusal in tally. */
import { fetchPromiseJson, refusedFetchJson } from "./promiseJson.ts"
import { decodeFetchAction } from "./fetchAction.ts"
import { bothPhases, i32, type HostFunction } from "./hostFunction.ts"
import { callPrice, priceOfBytes, signedLength } from "./hostPrices.ts"
import type { HostState } from "./hostState.ts"

/** Makes the bytes pending and charges for them. Both phases charge after the request, by the pending length. */
export const settlePending = (state: HostState, pending: Uint8Array): number => {
  state.pending = pending
  state.gas.charge(priceOfBytes(0n, pending.length))
  return pending.length
}

/** An action that cannot be read makes no request: nothing becomes pending, the length is 0. */
export const nothingPending = (state: HostState): number => {
  state.pending = new Uint8Array()
  return 0
}

const fetchOutside = (state: HostState, pointer: number, length: number): number => {
  const action = state.memory.read(pointer, length).slice()
  const request = decodeFetchAction(action)
  if (request === undefined) return nothingPending(state)
  return settlePending(state, fetchPromiseJson(state.replay.answer({ kind: "fetch", action, request })))
}

const refused = refusedFetchJson("http_fetch is not allowed in tally")

/** In tally the pointers are never read. */
export const httpFetch: HostFunction = {
  family: "seda_v1",
  name: "http_fetch",
  parameters: [i32, i32],
  results: [i32],
  phases: bothPhases,
  bind: (state) => (pointer: number, length: number) => {
    state.gas.charge(priceOfBytes(callPrice.httpFetch, signedLength(length)))
    return state.phase === "tally" ? settlePending(state, refused) : fetchOutside(state, pointer, length)
  }
}
