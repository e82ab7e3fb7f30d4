/** Opens a service's WebSockets on a Node HTTP server: `attachUpgrades(server, service, { prefix: "/oracle" })`. */
import { randomUUID } from "node:crypto"
import { EventEmitter } from "node:events"
import type { IncomingMessage, Server } from "node:http"
import type { Duplex } from "node:stream"
import { belowMountPoint, BodyUnreadable, checkedMountPoint, errorResponse, foreignPathResponse } from "@sibyl/core"
import { InvalidOption, InvalidRequest, type MountPoint, originForm, type Service } from "@sibyl/core"
import { WebSocketServer } from "ws"
import { answerAsPlain } from "./answerAsPlain.ts"
import { awaitResponses } from "./awaitResponses.ts"
import { goodbyeMs } from "./closeInOrder.ts"
import { NodeRequest } from "./nodeRequest.ts"
import { refuse } from "./refuse.ts"
import { join, ReasonedWebSocket } from "./webSocketHalf.ts"

/** Where the service is mounted. */
export interface UpgradeOptions extends MountPoint {
  /** Called with each connection on which an upgrade was requested; a second listener of `upgrade` would have to answer some. */
  readonly asked?: (raw: Duplex) => void
}

/** A service on a server. */
interface Mounted {
  readonly service: Service
  readonly mount: MountPoint
  readonly webSockets: WebSocketServer
}

/** One listener for all services of a server, so that other listeners can be told apart from it. */
const mountedOn = new WeakMap<Server, ReadonlyArray<Mounted>>()

/** The subprotocols that the service has selected. */
const selected = new WeakMap<IncomingMessage, string>()

const noBody = (): Promise<never> => Promise.reject(new BodyUnreadable("alreadyRead", "An upgrade request has no body."))

const withoutLength = new InvalidRequest({
  message: "a request that offers another protocol needs a content-length for its body, or no body"
})

/** Takes an upgrade request; resolves when it is answered, opened or left to the server's other listeners. */
const take = async (server: Server, request: IncomingMessage, raw: Duplex, head: Buffer): Promise<void> => {
  // Set before the first await: a reset by the client must not become an uncaught exception.
  raw.on("error", () => raw.destroy())
  const mounts = mountedOn.get(server) ?? []
  const below = (mount: MountPoint): string | undefined => belowMountPoint(originForm(request.url ?? "/"), mount)
  const isOwn = ({ mount }: Mounted): boolean => (mount.prefix ?? "").length > 1 && below(mount) !== undefined
  const isOurs = server.listenerCount("upgrade") === 1 || mounts.some(isOwn)
  if (!(await awaitResponses(raw))) return
  if (isOurs && request.headers.upgrade?.toLowerCase() !== "websocket") {
    if (request.headers["transfer-encoding"] === undefined) return answerAsPlain(server, request, raw, head)
    return refuse(raw, errorResponse(withoutLength, randomUUID()))
  }
  for (const { mount, service, webSockets } of mounts) {
    const url = below(mount)
    const answer = url === undefined ? undefined : await service.upgrade(new NodeRequest(request, url, noBody))
    if (raw.destroyed) return
    if (typeof answer === "function") {
      if (answer.protocol !== undefined) selected.set(request, answer.protocol)
      return webSockets.handleUpgrade(request, raw, head, (socket) => join(answer, socket, raw))
    }
    if (answer !== undefined) return refuse(raw, answer)
  }
  // A connection that nobody else listens for would stay open for ever.
  if (isOurs) refuse(raw, foreignPathResponse(randomUUID()))
}

/**
 * Offers a server's upgrade requests to the service, which answers all below its prefix. Other paths are for the server's other listeners, one of
 * which has to answer or end them: a `WebSocketServer` with `noServer`. Throws `InvalidOption` for an invalid option, no service, and no server.
 */
export const attachUpgrades = (server: Server, service: Service, options: UpgradeOptions = {}): void => {
  if (!((server as unknown) instanceof EventEmitter)) throw new InvalidOption("server", "must be what app.listen returns, and no app")
  const mount = checkedMountPoint(options, service, { asked: true })
  const webSockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: service.maxMessageBytes,
    closeTimeout: goodbyeMs,
    // The service selects; naming any other in the answer would select that.
    handleProtocols: (_offered, request) => selected.get(request) ?? false,
    WebSocket: ReasonedWebSocket
  })
  const others = mountedOn.get(server)
  mountedOn.set(server, [...(others ?? []), { service, mount, webSockets }])
  if (others !== undefined) return
  server.on("upgrade", (request, raw, head) => {
    options.asked?.(raw)
    // A defect must cost its own connection only.
    take(server, request, raw, head).catch((cause: unknown) => {
      process.emitWarning(cause instanceof Error ? cause : String(cause))
      raw.destroy()
    })
  })
}
