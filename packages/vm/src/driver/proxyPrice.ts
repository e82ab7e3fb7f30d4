/** A data proxy's price for a request: its key by OPTIONS, its fee from the registry, both within the run's budget. */
import { type HttpFetch } from "@sibyl/core"
import { proxyHeaderNames, proxyKeyOf, toUtf8Lossy } from "@sibyl/core/internal"
import { Effect, Option } from "effect"
import type { FetchAction } from "../tape/fetchAction.ts"
import { feesOf, proxyUsesOf } from "../tape/proxyUses.ts"
import type { FetchAnswer, ProxyPrice, Tape } from "../tape/tape.ts"
import { fetchOutside } from "./fetchOutside.ts"
import type { FetchRoom } from "./fetchRoom.ts"
import { ProxyAccess, type ProxyDirectory } from "./proxyAccess.ts"

const notKnown = (message: string): ProxyPrice => ({ known: false, message })

const notRegistered = notKnown("no data proxy is registered under this key")

/** The value of a header in an answer, `undefined` if it is absent. */
export const headerOf = ({ headers }: FetchAnswer, wanted: string): string | undefined =>
  headers.find(([name]) => name.toLowerCase() === wanted)?.[1]

/** The fee of a key, unless it exceeds the remaining budget. It is charged in credits, and costs no gas (decision D31). */
const feeOf = (directory: ProxyDirectory, writtenKey: string, budgetCredits: bigint, tape: Tape): Effect.Effect<ProxyPrice> =>
  Effect.gen(function* () {
    const publicKey = proxyKeyOf(writtenKey)
    const found = publicKey === undefined ? Option.none() : yield* directory.find(publicKey)
    if (publicKey === undefined || Option.isNone(found)) return notRegistered
    const { feeCredits } = found.value
    const leftCredits = budgetCredits - feesOf(proxyUsesOf(tape))
    return feeCredits > leftCredits
      ? notKnown(`the fee is ${feeCredits} credits, the run's budget for data proxies has ${leftCredits} left`)
      : { known: true, gas: 0n, publicKey, feeCredits }
  })

const askedPrice = (
  directory: ProxyDirectory,
  request: FetchAction,
  room: FetchRoom,
  tape: Tape
): Effect.Effect<ProxyPrice, never, HttpFetch> =>
  Effect.gen(function* () {
    // A named but unregistered key can only fail, so no request is sent for it.
    const named = request.publicKey
    if (named !== undefined) {
      const price = yield* feeOf(directory, named, room.limits.proxyBudgetCredits, tape)
      if (!price.known) return price
    }
    const asked = { ...request, method: "OPTIONS", body: new Uint8Array() }
    const answer = yield* fetchOutside(asked, room)
    if (answer.status === 0) return notKnown(toUtf8Lossy(answer.bytes))
    const header = headerOf(answer, proxyHeaderNames.publicKey)
    return header === undefined
      ? notKnown(`Header ${proxyHeaderNames.publicKey} was missing in the response headers`)
      : yield* feeOf(directory, header, room.limits.proxyBudgetCredits, tape)
  })

/** Requests the price of a request within the remaining limits; `tape` is that of the phase so far. */
export const proxyPrice = (request: FetchAction, room: FetchRoom, tape: Tape): Effect.Effect<ProxyPrice, never, HttpFetch | ProxyAccess> =>
  Effect.flatMap(
    ProxyAccess,
    Option.match({
      onNone: () => Effect.succeed(notRegistered),
      onSome: (directory) => askedPrice(directory, request, room, tape)
    })
  )
