/** Serves a Sibyl service with `Bun.serve`. */
/// <reference types="bun" preserve="true" />
import http from "node:http"
import { checkedMountPoint, InvalidOption, type MountPoint, type Service } from "@sibyl/core"
import { toWebHandler, type WebHandler } from "@sibyl/core"
import { createHandlers, type SocketData } from "./handlers.ts"
import { nothingHere } from "./nothingHere.ts"
import { idleSeconds, withoutIdling } from "./withoutIdling.ts"

export { createHandlers, type Handlers, type SocketData } from "./handlers.ts"
export type { HandlersOptions } from "./handlersOptions.ts"

/** How {@link serve} listens. */
export interface ServeOptions extends MountPoint {
  readonly service: Service
  /** 0 takes a free port. */
  readonly port: number
  /** Default `127.0.0.1`; `"0.0.0.0"` accepts requests from other machines too. */
  readonly hostname?: string
  /** Whether several processes may listen on the same port; on Linux the system spreads connections over them. Default false. */
  readonly reusePort?: boolean
  /** Answers paths that the service does not have; by default they are 404 `NotFound`. */
  readonly fallback?: (request: Request) => Response | Promise<Response>
}

/** The REST interface alone, for your own `Bun.serve`; {@link createHandlers} has the WebSocket interface too. */
export const fetchHandler = (service: Service, mount: MountPoint = {}): WebHandler => toWebHandler(service, mount)

/** Bun refuses heads over 16 KiB, for the whole process; the service says 414 to a long target if it gets to see it. */
const maxHeaderSize = 65_536

const ownNames = { service: true, port: true, hostname: true, reusePort: true, fallback: true } as const

/** Starts a server for one service. Throws `InvalidOption`. Stop it with `stop()`, and `dispose()` the service at once: `stop` waits for connections that `dispose` ends. */
export const serve = (options: ServeOptions): Bun.Server<SocketData> => {
  const { service, port, hostname = "127.0.0.1", reusePort = false, fallback = nothingHere } = options
  if ((port as unknown) === undefined) throw new InvalidOption("port", "is missing; 0 takes a free one")
  const mount = checkedMountPoint(options, service, ownNames)
  const handlers = createHandlers(service, mount)
  Object.assign(http, { maxHeaderSize: Math.max(http.maxHeaderSize, maxHeaderSize) })
  return Bun.serve({
    port,
    hostname,
    reusePort,
    idleTimeout: idleSeconds,
    // The service counts bodies itself, so that "too large" has the service's own answer.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    fetch: async (request, server) => {
      // As in the handlers: an answer at hand is not waited for.
      const answering = Bun.peek(handlers.fetch(request, server))
      const answer = answering instanceof Promise ? await answering : answering
      return answer ?? withoutIdling(request, server, Promise.resolve(fallback(request)))
    },
    websocket: handlers.websocket
  })
}
