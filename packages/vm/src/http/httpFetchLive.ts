/** The outbound HTTP of programs: the `HttpFetch` port over the runtime's own HTTP client, with the policy (decision D30). */
import { HttpFetch, Metrics, type OutboundRequest, type OutboundResponse } from "@sibyl/core"
import { Effect, Layer } from "effect"
import { openConnections } from "./connections.ts"
import { measuredFetch } from "./measuredFetch.ts"
import { tracedFetch } from "./tracedFetch.ts"
import { outboundFetch } from "./outboundFetch.ts"
import { type OutboundOptions, outboundPolicy } from "./outboundOptions.ts"

export type { OutboundOptions, Resolve } from "./outboundOptions.ts"

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
      const http = {
        fetch: (request: OutboundRequest): Effect.Effect<OutboundResponse> =>
          Effect.async((resume) => {
            const close = outboundFetch(policy, connections, request, (response) => resume(Effect.succeed(response)))
            return Effect.sync(close)
          })
      }
      return tracedFetch(
        measuredFetch(http, yield* Metrics, () => performance.now()),
        policy.tracesHost
      )
    })
  )
