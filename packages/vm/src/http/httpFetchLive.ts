/** The outbound HTTP of programs: the `HttpFetch` port over the runtime's own HTTP client, with the policy (decision D30). */
import { HttpFetch, Metrics, type OutboundRequest, type OutboundResponse } from "@sibyl/core"
import { logPart } from "@sibyl/core/internal"
import { Effect, Layer, Runtime } from "effect"
import { Circuits, type OnRest } from "./circuits.ts"
import { openConnections } from "./connections.ts"
import { partsOfName } from "./hopExchange.ts"
import { measuredFetch } from "./measuredFetch.ts"
import { tracedFetch } from "./tracedFetch.ts"
import { outboundFetch } from "./outboundFetch.ts"
import { type OutboundOptions, outboundPolicy } from "./outboundOptions.ts"
import { RequestPlaces } from "./requestPlaces.ts"

export { hasAuthorities, type OutboundOptions, type Resolve } from "./outboundOptions.ts"

const [defaultRequestsPerHost, defaultFailuresToRest] = [1_024, 5]

/** Writes into the log that a host is left alone, and that it answers again. */
const logRests = (runtime: Runtime.Runtime<never>, factsOf: (name: string) => Record<string, string>): OnRest => {
  const log = (line: Effect.Effect<void>, facts: Record<string, string | number>): void => {
    Runtime.runFork(runtime)(Effect.annotateLogs(line, { ...logPart("upstreams"), ...facts }))
  }
  return (name, restMs) =>
    restMs === 0
      ? log(Effect.logInfo("an upstream answers again"), factsOf(name))
      : log(Effect.logWarning("an upstream does not answer, and is asked nothing for a while"), { ...factsOf(name), restMs })
}

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
      const { failuresToRest = defaultFailuresToRest, requestsPerHost = defaultRequestsPerHost } = options
      const runtime = yield* Effect.runtime()
      const ways = {
        connections,
        places: new RequestPlaces(requestsPerHost),
        reached: new Circuits(
          failuresToRest,
          logRests(runtime, (upstream) => ({ upstream }))
        ),
        answering: new Circuits(failuresToRest, logRests(runtime, partsOfName))
      }
      const http = {
        fetch: (request: OutboundRequest): Effect.Effect<OutboundResponse> =>
          Effect.async((resume) => {
            const close = outboundFetch(policy, ways, request, (response) => resume(Effect.succeed(response)))
            return Effect.sync(close)
          })
      }
      return tracedFetch(
        measuredFetch(http, yield* Metrics, () => performance.now()),
        policy.tracesHost
      )
    })
  )
