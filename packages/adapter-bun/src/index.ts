/** Serves a Sibyl service with `Bun.serve`. */
import http from "node:http"
import { foreignPathResponse, type MountPoint, type Service, serviceRequestOf, webResponseOf } from "@sibyl/core"

/** Answers a request of `Bun.serve`; `undefined` when the path is none of the service's. */
export type FetchHandler = (request: Request) => Promise<Response | undefined>

/** How {@link serve} listens. */
export interface ServeOptions extends MountPoint {
  readonly service: Service
  /** 0 takes a free port. */
  readonly port: number
  /** Every interface when left out. */
  readonly hostname?: string
  /** Answers the paths that are none of the service's; without it they are 404 `NotFound`. */
  readonly fallback?: (request: Request) => Response | Promise<Response>
}

/** The service as a handler for a `Bun.serve` of one's own; set `idleTimeout: 0` there, or long runs are cut off. */
export const fetchHandler = (service: Service, mount: MountPoint = {}): FetchHandler => async (request) => {
  const ours = serviceRequestOf(request, mount)
  if (ours === undefined) return undefined
  const wantsUpgrade = request.headers.get("upgrade")?.toLowerCase() === "websocket"
  const answer = await (wantsUpgrade ? service.upgrade(ours) : service.fetch(ours))
  if (typeof answer === "function") return new Response(null, { status: 501 })
  return answer === undefined ? undefined : webResponseOf(answer)
}

const nothingHere = (): Response => webResponseOf(foreignPathResponse(crypto.randomUUID()))

/** Bun refuses heads over 16 KiB, for the whole process; the service says 414 to a long target if it gets to see it. */
const maxHeaderSize = 65_536

/** Starts a server for one service. Stop it with `stop()`, then `dispose()` the service. */
export const serve = (options: ServeOptions): Bun.Server<undefined> => {
  const { service, port, hostname, fallback = nothingHere } = options
  const handle = fetchHandler(service, options)
  Object.assign(http, { maxHeaderSize: Math.max(http.maxHeaderSize, maxHeaderSize) })
  return Bun.serve({
    port,
    ...(hostname === undefined ? {} : { hostname }),
    // Never idle: a run may take longer than Bun's ten seconds of silence.
    idleTimeout: 0,
    // The service counts bodies itself, so that "too large" has the service's own answer.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    fetch: async (request) => (await handle(request)) ?? fallback(request)
  })
}
