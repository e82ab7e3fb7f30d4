/** Shared by the two fetching functions: how an action is requested, and how its answer becomes pending. */
import type { AnswerTo } from "../../tape/tape.ts"
import { callRefusal } from "../state/callRefusal.ts"
import { decodeFetchAction } from "../../tape/fetchAction.ts"
import { priceOfBytes } from "../state/hostPrices.ts"
import type { HostState } from "../state/hostState.ts"
import { failedFetch, fetchPromiseJson } from "../../tape/promiseJson.ts"

/** Makes the bytes pending and charges for them. Both phases charge after the request, by the pending length. */
export const settlePending = (state: HostState, pending: Uint8Array): number => {
  state.pending = pending
  state.gas.charge(priceOfBytes(0n, pending.length))
  return pending.length
}

/** The outcome of an action without an answer from outside: the pending length. */
export interface Settled {
  readonly length: number
}

/** An unreadable action makes no request: nothing becomes pending, the length is 0. */
const nothingPending = (state: HostState): Settled => {
  state.pending = new Uint8Array()
  return { length: 0 }
}

const rejected = (state: HostState, message: string): Settled => ({
  length: settlePending(state, fetchPromiseJson(failedFetch(message)))
})

/** The answer to this action from the tape, or its outcome without one. */
export const askOutside = <Kind extends "fetch" | "proxyPrice" | "proxyFetch">(
  state: HostState,
  kind: Kind,
  action: Uint8Array
): { readonly answer: AnswerTo[Kind] } | Settled => {
  const refusal = callRefusal(state, action.length, "httpActionBytes")
  if (refusal !== undefined) return rejected(state, refusal)
  const answer = state.replay.recorded(kind, action)
  if (answer !== undefined) return { answer }
  const reading = decodeFetchAction(action)
  if (reading.kind === "unreadable") return nothingPending(state)
  if (reading.kind === "refused") return rejected(state, reading.message)
  return state.replay.ask({ kind, action: action.slice(), request: reading.request })
}
