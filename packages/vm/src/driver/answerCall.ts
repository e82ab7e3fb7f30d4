/** Performs the requests that a program makes to the outside world, within the run's limits (decisions D29, D31). */
import type { HttpFetch, PhaseRequest } from "@sibyl/core"
import { Effect } from "effect"
import { standingPrice } from "../tape/proxyUses.ts"
import type { AnsweredCall, HostCall, Tape } from "../tape/tape.ts"
import { answerStorage } from "./answerStorage.ts"
import { fetchOutside } from "./fetchOutside.ts"
import type { FetchRoom } from "./fetchRoom.ts"
import type { ProxyAccess } from "./proxyAccess.ts"
import type { Prefetch } from "./prefetch.ts"
import { proxyFetch } from "./proxyFetch.ts"
import { proxyPrice } from "./proxyPrice.ts"
import type { RunStorage } from "./runStorage.ts"

/** A recorded call, the time of its answer still to come. */
export type TimelessCall = AnsweredCall extends infer Call ? (Call extends unknown ? Omit<Call, "atMs"> : never) : never

/** A phase so far, as its next call meets it. */
export interface PhaseSoFar {
  readonly tape: Tape
  readonly storage: RunStorage
  /** What is left to the phase for its requests. */
  readonly room: FetchRoom
  /** The prefetched requests of the run, if it prefetches. */
  readonly prefetch?: Prefetch | undefined
}

/** A performed call, and the run's storage after it. */
export interface PerformedCall {
  readonly call: TimelessCall
  readonly storage: RunStorage
}

const performed = (
  call: HostCall & { readonly kind: "fetch" | "proxyPrice" | "proxyFetch" },
  { prefetch, room, tape }: PhaseSoFar
): Effect.Effect<TimelessCall, never, HttpFetch | ProxyAccess> => {
  const { action, kind, request } = call
  switch (kind) {
    case "fetch":
      return Effect.map(prefetch?.fetch({ action, request }, room) ?? fetchOutside(request, room), (answer) => ({ kind, action, answer }))
    case "proxyPrice":
      return Effect.map(proxyPrice(request, room, tape), (answer) => ({ kind, action, answer }))
    case "proxyFetch": {
      const price = standingPrice(tape)
      return price === undefined
        ? Effect.dieMessage("a request through a data proxy whose price was not asked for")
        : Effect.map(
            Effect.zipRight(prefetch?.beforeChange(request) ?? Effect.void, proxyFetch(request, price.publicKey, room)),
            (answer) => ({ kind, action, answer })
          )
    }
  }
}

/** Performs one call; `storage` is what its program kept before. */
export const answerCall = (
  call: HostCall,
  soFar: PhaseSoFar,
  storage?: PhaseRequest["storage"]
): Effect.Effect<PerformedCall, never, HttpFetch | ProxyAccess> => {
  if (call.kind !== "storage") return Effect.map(performed(call, soFar), (done) => ({ call: done, storage: soFar.storage }))
  const { action, kind, request } = call
  return Effect.map(answerStorage(request, storage, soFar.storage, soFar.room.leftBytes), ({ after, answer }) => ({
    call: { kind, action, operation: request.operation, answer },
    storage: after
  }))
}
