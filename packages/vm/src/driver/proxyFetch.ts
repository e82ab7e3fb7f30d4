/** One request through a data proxy, with the service's proof; only an answer signed by the priced proxy reaches the program. */
import { type HttpFetch } from "@sibyl/core"
import { fastProofHeaderName, isProxySignature, proxyHeaderNames, proxyKeyOf, toUtf8Lossy } from "@sibyl/core/internal"
import { Clock, Effect, Option } from "effect"
import type { FetchAction } from "../tape/fetchAction.ts"
import { failedFetch } from "../tape/promiseJson.ts"
import { isPaidStatus } from "../tape/proxyUses.ts"
import type { FetchAnswer } from "../tape/tape.ts"
import { fetchOutside } from "./fetchOutside.ts"
import type { FetchRoom } from "./fetchRoom.ts"
import { ProxyAccess, type ProxyDirectory } from "./proxyAccess.ts"
import { headerOf } from "./proxyPrice.ts"

/** Between the first attempt and the second, which is the last. */
const pauseMs = 1_000

/** Maximum bytes of an error's body that are quoted to the program. */
const quotedBytes = 16_384

const quoted = ({ bytes }: FetchAnswer): string => toUtf8Lossy(bytes.subarray(0, quotedBytes))

/** The answer as the program gets it: unchanged, or rejected because of its status, its headers or its signature. */
const judged = (answer: FetchAnswer, request: FetchAction, pricedKey: string): FetchAnswer => {
  if (!isPaidStatus(answer.status)) {
    return failedFetch(`Proxy HTTP fetch failed with status ${answer.status}. Body: ${quoted(answer)}`)
  }
  const signature = headerOf(answer, proxyHeaderNames.signature)
  const answeredKey = headerOf(answer, proxyHeaderNames.publicKey)
  if (signature === undefined || answeredKey === undefined) {
    const missing = signature === undefined ? proxyHeaderNames.signature : proxyHeaderNames.publicKey
    return failedFetch(`Header ${missing} was not available. Body: ${quoted(answer)}`)
  }
  const { body, method, publicKey, url } = request
  // The signer must be the one who is paid: the key that the program names, or else the answer's, must be the priced one.
  const signed =
    proxyKeyOf(publicKey ?? answeredKey) === pricedKey &&
    isProxySignature({ url, method, requestBody: body, responseBody: answer.bytes }, signature, pricedKey)
  return signed ? answer : failedFetch("Invalid proxy signature")
}

/** Retries once if there was no answer, or not a successful one, and the run has time for it. */
const attempted = (directory: ProxyDirectory, request: FetchAction, room: FetchRoom): Effect.Effect<FetchAnswer, never, HttpFetch> =>
  Effect.gen(function* () {
    const startMs = yield* Clock.currentTimeMillis
    const proof = yield* directory.proof
    // After the program's own headers: of equal names the last one is sent.
    const proven = { ...request, headers: [...request.headers, [fastProofHeaderName, proof] as const] }
    const first = yield* fetchOutside(proven, room)
    const leftMs = room.budgetMs - ((yield* Clock.currentTimeMillis) - startMs) - pauseMs
    if (isPaidStatus(first.status) || leftMs <= 0) return first
    yield* Effect.sleep(pauseMs)
    return yield* fetchOutside(proven, { ...room, budgetMs: leftMs })
  })

/** Makes the request at the price of `pricedKey`, within the remaining limits. */
export const proxyFetch = (
  request: FetchAction,
  pricedKey: string,
  room: FetchRoom
): Effect.Effect<FetchAnswer, never, HttpFetch | ProxyAccess> =>
  Effect.flatMap(
    ProxyAccess,
    Option.match({
      onNone: () => Effect.dieMessage("a request through a data proxy, in a runtime without data proxies"),
      onSome: (directory) => Effect.map(attempted(directory, request, room), (answer) => judged(answer, request, pricedKey))
    })
  )
