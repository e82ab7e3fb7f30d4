/** `seda_v1.http_fetch(ptr, len) -> pending length`: one HTTP request in the execution phase, a refusal in tally. */
import { askOutside, settlePending } from "./fetchCall.ts"
import { bothPhases, i32, type HostFunction } from "../state/hostFunction.ts"
import { callPrice, priceOfBytes, signedLength } from "../state/hostPrices.ts"
import type { HostState } from "../state/hostState.ts"
import { fetchPromiseJson, refusedFetchJson } from "../../tape/promiseJson.ts"

const fetchOutside = (state: HostState, pointer: number, length: number): number => {
  const asked = askOutside(state, "fetch", state.memory.read(pointer, length))
  return "length" in asked ? asked.length : settlePending(state, fetchPromiseJson(asked.answer))
}

const refused = refusedFetchJson("http_fetch is not allowed in tally")

/** In tally the pointers are not read. */
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
