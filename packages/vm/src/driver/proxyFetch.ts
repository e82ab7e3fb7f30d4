/** One request through a data proxy, with the service's proof; only what the priced proxy signed reaches the program. */
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

/** Of a refusal's body no more than this many bytes is quoted to the program. */
const quotedBytes = 16_384

const quoted = ({ bytes }: FetchAnswer): string => toUtf8Lossy(bytes.subarray(0, quotedBytes))

/** The answer as the program gets it: as it came, or rejected because of its status, its headers or its signature. */
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
  // Who signs must be who is paid: a key that the program names, or else the answer's, is the one that was priced.
  const signed =
    proxyKeyOf(publicKey ?? answeredKey) === pricedKey &&
    isProxySignature({ url, method, requestBody: body, responseBody: answer.bytes }, signature, pricedKey)
  return signed ? answer : failedFetch("Invalid proxy signature")
}

/** Tries once more when the first answer is none, or not a good one, and the run has time for it. */
const attempted = (directory: ProxyDirectory, request: FetchAction, room: FetchRoom): Effect.Effect<FetchAnswer, never, HttpFetch> =>
  Effect.gen(function* () {
    const startMs = yield* Clock.currentTimeMillis
    const proof = yield* directory.proof
    // Behind the program's own headers: of equal names the last one goes out.
    const proven = { ...request, headers: [...request.headers, [fastProofHeaderName, proof] as const] }
    const first = yield* fetchOutside(proven, room)
    const leftMs = room.budgetMs - ((yield* Clock.currentTimeMillis) - startMs) - pauseMs
    if (isPaidStatus(first.status) || leftMs <= 0) return first
    yield* Effect.sleep(pauseMs)
    return yield* fetchOutside(proven, { ...room, budgetMs: leftMs })
  })

/** Makes the request under the price of `pricedKey`, in the room that is left. */
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
