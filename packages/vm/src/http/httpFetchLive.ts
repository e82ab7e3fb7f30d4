/** The outbound HTTP of programs: the `HttpFetch` port over the runtime's own HTTP client, with the policy (decision D30). */
import { HttpFetch, type OutboundRequest, type OutboundResponse } from "@sibyl/core"
import { Duration, Effect, Either, Layer } from "effect"
import { type Connections, openConnections } from "./connections.ts"
import { type Answer, exchange, ExchangeFailure, type ExchangeRoom } from "./exchange.ts"
import { programHeaders } from "./headerPolicy.ts"
import { followRedirect, type Hop, isAllowedMethod, maxRedirects, type Message, planHop } from "./hop.ts"
import { type OutboundOptions, outboundPolicy, type OutboundPolicy } from "./outboundOptions.ts"

export type { OutboundOptions, Resolve } from "./outboundOptions.ts"

const refused = (message: string): ExchangeFailure => new ExchangeFailure({ message, stale: false })

const orRefused = <A>(decision: Either.Either<A, string>): Either.Either<A, ExchangeFailure> => Either.mapLeft(decision, refused)

/** Repeating these is harmless, so a kept-alive connection may be tried first. */
const isRepeatable = (message: Message): boolean => /^(GET|HEAD|OPTIONS)$/.test(message.method)

/** The message that the program requested, or why it is refused. */
const firstMessage = (request: OutboundRequest): Either.Either<Message, string> =>
  isAllowedMethod(request.method)
    ? Either.map(programHeaders(request.headers), (headers) => ({
        url: request.url,
        method: request.method,
        headers,
        body: request.body
      }))
    : Either.left("outbound request refused: the method is not allowed")

const send = (connections: Connections, hop: Hop, message: Message, room: ExchangeRoom) =>
  isRepeatable(message)
    ? exchange(connections, hop, message, room, false).pipe(
        Effect.catchIf(
          (failure) => failure.stale,
          () => exchange(connections, hop, message, room, true)
        )
      )
    : exchange(connections, hop, message, room, true)

/** Follows a message hop by hop to its final answer; every hop is planned, and so checked, separately. */
const follow = (policy: OutboundPolicy, connections: Connections, request: OutboundRequest) =>
  Effect.gen(function* () {
    let message = yield* orRefused(firstMessage(request))
    for (let hops = 0; hops <= maxRedirects; hops += 1) {
      const hop = yield* orRefused(planHop(policy, message.url))
      const answer = yield* send(connections, hop, message, request)
      if (answer.location === undefined) return { answer, url: hop.url.href }
      message = yield* orRefused(followRedirect(message, hop.url, answer.status, answer.location))
    }
    return yield* refused(`outbound request failed: more than ${maxRedirects} redirects`)
  })

const answered = ({ answer, url }: { readonly answer: Answer; readonly url: string }): OutboundResponse => ({
  kind: "answered",
  status: answer.status,
  headers: [...answer.headers],
  bytes: answer.bytes,
  url,
  contentLength: answer.contentLength
})

/**
 * Outbound HTTP with the policy of the options. The time-out of a request covers all its hops. Connections are kept alive and closed with
 * the layer's scope. Invalid options are a defect.
 */
export const layerHttpFetch = (options: OutboundOptions = {}): Layer.Layer<HttpFetch> =>
  Layer.scoped(
    HttpFetch,
    Effect.gen(function* () {
      const policy = yield* Effect.sync(() => outboundPolicy(options))
      const connections = yield* Effect.acquireRelease(
        Effect.sync(() => openConnections(options)),
        (connections) => Effect.sync(() => connections.close())
      )
      return {
        fetch: (request: OutboundRequest): Effect.Effect<OutboundResponse> =>
          follow(policy, connections, request).pipe(
            Effect.match({
              onSuccess: answered,
              onFailure: ({ message }): OutboundResponse => ({ kind: "rejected", message, timedOut: false })
            }),
            Effect.timeoutTo({
              duration: Duration.millis(request.timeoutMs),
              onSuccess: (response): OutboundResponse => response,
              onTimeout: (): OutboundResponse => ({
                kind: "rejected",
                message: `HTTP fetch time limit exceeded (${request.timeoutMs}ms)`,
                timedOut: true
              })
            })
          )
      }
    })
  )
