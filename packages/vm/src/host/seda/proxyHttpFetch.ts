/** `seda_v1.proxy_http_fetch(ptr, len) -> pending length`: an HTTP request through a data proxy, which has a price. */
import { isPaidStatus } from "../../tape/proxyUses.ts"
import { askOutside, settlePending } from "./fetchCall.ts"
import { bothPhases, i32, type HostFunction } from "../state/hostFunction.ts"
import { callPrice, priceOfBytes, signedLength } from "../state/hostPrices.ts"
import type { HostState } from "../state/hostState.ts"
import { failedFetch, fetchPromiseJson, refusedFetchJson } from "../../tape/promiseJson.ts"
import { trap } from "../state/unwind.ts"

/** The price comes first, and must be payable before the request is sent; an unknown price costs nothing more. */
const fetchThroughProxy = (state: HostState, pointer: number, length: number): number => {
  const action = state.memory.read(pointer, length)
  const priced = askOutside(state, "proxyPrice", action)
  if ("length" in priced) return priced.length
  const price = priced.answer
  if (!price.known) {
    state.pending = fetchPromiseJson(failedFetch(`Failed to get proxy gas cost: ${price.message}`))
    return state.pending.length
  }
  const { remaining } = state.gas
  if (price.gas > remaining) {
    trap(`Insufficient gas to pay for data proxy. ${price.gas} required, only ${remaining} left`)
  }
  const asked = askOutside(state, "proxyFetch", action)
  if ("length" in asked) return asked.length
  // Its fee in credits is read from the tape.
  if (isPaidStatus(asked.answer.status)) state.gas.charge(price.gas)
  return settlePending(state, fetchPromiseJson(asked.answer))
}

const refused = refusedFetchJson("proxy_http_fetch is not allowed in tally")

/** In tally the pointers are not read. */
export const proxyHttpFetch: HostFunction = {
  family: "seda_v1",
  name: "proxy_http_fetch",
  parameters: [i32, i32],
  results: [i32],
  phases: bothPhases,
  bind: (state) => (pointer: number, length: number) => {
    state.gas.charge(priceOfBytes(callPrice.proxyHttpFetch, signedLength(length)))
    return state.phase === "tally" ? settlePending(state, refused) : fetchThroughProxy(state, pointer, length)
  }
}
