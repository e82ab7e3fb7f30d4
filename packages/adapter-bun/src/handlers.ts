/** A service as the two handlers that `Bun.serve` takes: for requests, and for WebSockets. */
import { answerOf, checkedMountPoint, type Opening, type Peer, type Service, type ServiceRequest, type Socket } from "@sibyl/core"
import { serviceRequestOf, webResponseOf } from "@sibyl/core"
import type { HandlersOptions } from "./handlersOptions.ts"
import { nothingHere } from "./nothingHere.ts"
import { withoutIdling } from "./withoutIdling.ts"

/** The data of a WebSocket of the service, `ws.data`. */
export interface SocketData {
  readonly open: Opening
  peer?: Peer
  /** A close that waits until the client has read what was sent before. */
  goodbye?: readonly [code: number, reason: string]
}

type BunSocket = Bun.ServerWebSocket<SocketData>

/** What `Bun.serve` needs of a service. */
export interface Handlers {
  /** Answers a request or opens a WebSocket (Bun ignores the answer then); `undefined` if the service has no such path. */
  readonly fetch: (request: Request, server: Bun.Server<SocketData>) => Promise<Response | undefined>
  readonly websocket: Bun.WebSocketHandler<SocketData>
}

/** Bun would choose the first subprotocol on offer; an empty name chooses none. */
const protocolHeader = ({ protocol = "" }: Opening) => ({ "sec-websocket-protocol": protocol })

const bye = (socket: BunSocket): void => {
  const { goodbye } = socket.data
  if (goodbye !== undefined && socket.getBufferedAmount() === 0) socket.close(...goodbye)
}

const socketOf = (socket: BunSocket): Socket => ({
  sendTexts: (frames) => {
    socket.cork(() => {
      for (const frame of frames) socket.sendText(frame)
    })
  },
  bufferedAmount: () => socket.getBufferedAmount(),
  ping: () => void socket.ping(),
  close: (code, reason) => {
    // After Bun's own close, a client that no longer reads could not be cut off, so waiting output is sent first.
    socket.data.goodbye = [code, reason]
    bye(socket)
  },
  terminate: () => socket.terminate()
})

const webSocketHandler = ({ maxMessageBytes }: Service): Bun.WebSocketHandler<SocketData> => ({
  maxPayloadLength: maxMessageBytes,
  // The service pings, and decides how much may wait for a slow reader; beyond Bun's limit messages would be dropped.
  sendPings: false,
  backpressureLimit: 2 ** 30,
  closeOnBackpressureLimit: false,
  // None: the service ends what does not answer its pings, whose interval is a setting and may be longer than any number here. A socket that
  // is closed is Bun's to release; it does so within seconds, also with output that nobody reads.
  idleTimeout: 0,
  open: (socket) => {
    socket.data.peer = socket.data.open(socketOf(socket))
  },
  message: (socket, frame) => socket.data.peer?.message(frame),
  pong: (socket) => socket.data.peer?.pong(),
  drain: (socket) => {
    socket.data.peer?.drain()
    bye(socket)
  },
  // Bun calls this from within `close()`, when the service may still be opening its half.
  close: (socket, code, reason) => queueMicrotask(() => socket.data.peer?.closed(code, reason))
})

const upgraded = async (request: Request, server: Bun.Server<SocketData>, service: Service, ours: ServiceRequest) => {
  const answer = await withoutIdling(request, server, service.upgrade(ours))
  if (typeof answer !== "function") return answer === undefined ? undefined : webResponseOf(answer)
  // False: the handshake is malformed, or its client has gone.
  return new Response(null, { status: server.upgrade(request, { data: { open: answer }, headers: protocolHeader(answer) }) ? 101 : 400 })
}

/**
 * The service's handlers for your own `Bun.serve`, WebSockets included:
 * `Bun.serve({ websocket, fetch: async (request, server) => (await fetch(request, server)) ?? own(request) })`, or, with `standAlone`, all of them as they are.
 * Throws `InvalidOption` for an invalid prefix, and for what is no service. Leave `idleTimeout` on: it is what ends the connections of clients that never finish a request.
 */
export const createHandlers = (service: Service, options: HandlersOptions = {}): Handlers => {
  const mounted = checkedMountPoint(options, service, { standAlone: true })
  const answer = answerOf(service)
  const fetch: Handlers["fetch"] = async (request, server) => {
    const ours = serviceRequestOf(request, mounted)
    if (ours === undefined) return undefined
    if (request.headers.get("upgrade")?.toLowerCase() === "websocket") return upgraded(request, server, service, ours)
    // Bun keeps a copy of a request that it still waits for when this returns; one whose answer is at hand is spared that.
    const answering = answer(ours)
    const answered = answering instanceof Promise ? await withoutIdling(request, server, answering) : answering
    return answered === undefined ? undefined : webResponseOf(answered)
  }
  const alone: Handlers["fetch"] = async (request, server) => (await fetch(request, server)) ?? nothingHere()
  return { fetch: options.standAlone === true ? alone : fetch, websocket: webSocketHandler(service) }
}
