/** Performs the requests that a program makes to the outside world, within the run's limits (decisions D29, D31). */
import type { HttpFetch, PhaseRequest } from "@sibyl/core"
import { Effect } from "effect"
import { standingPrice } from "../pass/proxyUses.ts"
import type { AnsweredCall, HostCall, Tape } from "../pass/tape.ts"
import { answerStorage } from "./answerStorage.ts"
import { fetchOutside } from "./fetchOutside.ts"
import type { ProxyAccess } from "./proxyAccess.ts"
import { proxyFetch } from "./proxyFetch.ts"
import { proxyPrice, type ProxyLimits } from "./proxyPrice.ts"

/** A recorded call, the time of its answer still to come. */
export type TimelessCall = AnsweredCall extends infer Call ? (Call extends unknown ? Omit<Call, "atMs"> : never) : never

/**
 * Performs one call; `budgetMs` is what is left of the run's time for requests, `tape` what it was told so far,
 * `storage` what its program kept before.
 */
export const answerCall = (
  call: HostCall,
  limits: ProxyLimits,
  budgetMs: number,
  tape: Tape,
  storage?: PhaseRequest["storage"]
): Effect.Effect<TimelessCall, never, HttpFetch | ProxyAccess> => {
  const { action, kind } = call
  switch (kind) {
    case "fetch":
      return Effect.map(fetchOutside(call.request, limits, budgetMs), (answer) => ({ kind, action, answer }))
    case "proxyPrice":
      return Effect.map(proxyPrice(call.request, limits, budgetMs, tape), (answer) => ({ kind, action, answer }))
    case "proxyFetch": {
      const price = standingPrice(tape)
      return price === undefined
        ? Effect.dieMessage("a request through a data proxy whose price was not asked for")
        : Effect.map(proxyFetch(call.request, price.publicKey, limits, budgetMs), (answer) => ({ kind, action, answer }))
    }
    case "storage": {
      const { operation } = call.request
      return Effect.map(answerStorage(call.request, storage, tape), (answer) => ({ kind, action, operation, answer }))
    }
  }
}
