/** Serves a server's metrics: beside the service, or on a port of their own. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { Service, ServiceRequest } from "@sibyl/core"
import { answerMetrics, type MetricsRoute, withMetrics } from "@sibyl/telemetry"
import { Effect } from "effect"
import type { MetricsConfiguration } from "../../config/configuration.ts"
import { measuring } from "../../service/measuring.ts"
import { cannotListen, originOf } from "../listen/listening.ts"
import { accessOf } from "./metricsAccess.ts"

/** What was measured by each process of the server. */
export type ReadMetrics = MetricsRoute["read"]

/** Of a server of one process. */
export const readOwn: ReadMetrics = () => Promise.resolve([measuring().series()])

const requestOf = ({ headers, method = "GET", url = "/" }: IncomingMessage): ServiceRequest => ({
  method,
  url,
  header: (name) => {
    const value = headers[name]
    return Array.isArray(value) ? value[0] : value
  },
  body: () => Promise.resolve(new Uint8Array())
})

const answer = async (route: MetricsRoute, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const isMetrics = request.url === "/metrics" || request.url?.startsWith("/metrics?") === true
  if (!isMetrics) return void response.writeHead(404).end()
  const { body, headers, status } = await answerMetrics(route, requestOf(request))
  response.writeHead(status, headers).end(body)
}

/** Listens on a port of its own until the scope closes. Answers where. */
export const listenForMetrics = (own: { readonly host: string; readonly port: number }, route: MetricsRoute) =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: () =>
        new Promise<{ readonly close: () => void; readonly port: number }>((resolve, reject) => {
          const server = createServer((request, response) => {
            answer(route, request, response).catch(() => response.destroy())
          })
          server.once("error", reject)
          server.listen(own.port, own.host, () => {
            const bound = server.address()
            const port = typeof bound === "object" && bound !== null ? bound.port : own.port
            resolve({ port, close: () => server.close(() => {}).closeAllConnections() })
          })
        }),
      catch: (cause) => cannotListen(own, cause)
    }),
    ({ close }) => Effect.sync(close)
  ).pipe(Effect.map(({ port }) => `${originOf({ ...own, port, prefix: "" })}/metrics`))

/**
 * The service with its metrics beside it; without them if they are off, or have a port of their own, which is opened here. An edge opens
 * none: that port is its supervisor's.
 */
export const serveMetrics = (service: Service, metrics: MetricsConfiguration, read: ReadMetrics, isEdge: boolean) =>
  Effect.gen(function* () {
    const access = accessOf(metrics)
    if (access === undefined) return { service, isBeside: false, url: undefined }
    const route: MetricsRoute = { access, read }
    if (metrics.own === undefined) return { service: withMetrics(service, route), isBeside: true, url: undefined }
    return { service, isBeside: false, url: isEdge ? undefined : yield* listenForMetrics(metrics.own, route) }
  })
