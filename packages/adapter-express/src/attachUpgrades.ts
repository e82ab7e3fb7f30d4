/** Opens a service's WebSockets on a Node HTTP server: `attachUpgrades(server, service, { prefix: "/oracle" })`. */
import { randomUUID } from "node:crypto"
import { type IncomingMessage, type Server, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import { belowMountPoint, BodyUnreadable, defaultLimits, foreignPathResponse, type MountPoint } from "@sibyl/core"
import type { Peer, Service, ServiceResponse, Socket } from "@sibyl/core"
import { type WebSocket, WebSocketServer } from "ws"
import { NodeRequest } from "./nodeRequest.ts"

/** Where the service hangs, and what a client may send it. */
export interface UpgradeOptions extends MountPoint {
  /** A larger message is not read; it closes its connection with 1009. 2 MiB when left out, as everywhere. */
  readonly maxMessageBytes?: number
}

/** Bun's stand-in for `node:http` takes no connection back. */
const takesBack = process.versions["bun"] === undefined

/** How long a client may take to answer a close frame before its connection is cut. */
const closeTimeout = 2_000

/** The runtime's half of a WebSocket; `raw` is the connection that `ws` writes to. */
const socketOf = (socket: WebSocket, raw: Duplex): Socket => ({
  sendTexts: (frames) => {
    // One write for all of them: five times the messages per second.
    raw.cork()
    for (const frame of frames) socket.send(frame)
    raw.uncork()
  },
  bufferedAmount: () => socket.bufferedAmount,
  ping: () => socket.ping(),
  close: (code, reason) => socket.close(code, reason),
  terminate: () => socket.terminate()
})

/** Joins the two halves, before the runtime can have read a first frame. */
const join = (open: (socket: Socket) => Peer, socket: WebSocket, raw: Duplex): void => {
  // A faulty frame: `ws` has answered it with the close code it deserves, and `close` follows.
  socket.on("error", () => {})
  const peer = open(socketOf(socket, raw))
  socket.on("message", (frame, isBinary) => peer.message(isBinary ? frame : frame.toString()))
  socket.on("pong", () => peer.pong())
  socket.on("close", (code, reason) => peer.closed(code, reason.toString()))
  raw.on("drain", () => peer.drain())
}

/** Answers an upgrade request over plain HTTP and closes. */
const refuse = (raw: Duplex, { status, headers, body }: ServiceResponse): void => {
  const lines = Object.entries({ ...headers, "content-length": Buffer.byteLength(body), connection: "close" })
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`, ...lines.map((line) => line.join(": ")), "", ""]
  raw.once("finish", () => raw.destroy()).write(head.join("\r\n"))
  raw.end(body)
}

/**
 * Gives a request that merely offers another protocol back to HTTP, without the offer: many clients offer `h2c`, and
 * Node takes each of them for an upgrade as soon as somebody listens for one.
 */
const takeAsPlain = (server: Server, request: IncomingMessage, raw: Duplex, head: Buffer): void => {
  const lines = [`${request.method} ${request.url} HTTP/${request.httpVersion}`]
  for (let at = 0; at < request.rawHeaders.length; at += 2) {
    const [name = "", value = ""] = request.rawHeaders.slice(at, at + 2)
    if (!/^(connection|upgrade|http2-settings)$/i.test(name)) lines.push(`${name}: ${value}`)
  }
  raw.unshift(Buffer.concat([Buffer.from([...lines, "", ""].join("\r\n"), "latin1"), head]))
  server.emit("encrypted" in raw ? "secureConnection" : "connection", raw)
}

const noBody = (): Promise<never> =>
  Promise.reject(new BodyUnreadable("alreadyRead", "An upgrade request has no body."))

/** Offers a server's upgrade requests to the service; other paths are left to the server's other listeners. */
export const attachUpgrades = (server: Server, service: Service, options: UpgradeOptions = {}): void => {
  const webSockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: options.maxMessageBytes ?? defaultLimits.requestBytes,
    closeTimeout
  })
  const decide = async (request: IncomingMessage, raw: Duplex, head: Buffer): Promise<void> => {
    const isAlone = server.listenerCount("upgrade") === 1
    const isWebSocket = request.headers.upgrade?.toLowerCase() === "websocket"
    if (isAlone && takesBack && !isWebSocket) return takeAsPlain(server, request, raw, head)
    // Before the first wait: a client's reset must not become an uncaught exception.
    raw.on("error", () => raw.destroy())
    const url = belowMountPoint(request.url ?? "/", options)
    const answer = url === undefined ? undefined : await service.upgrade(new NodeRequest(request, url, noBody))
    if (raw.destroyed) return
    if (typeof answer === "function") {
      webSockets.handleUpgrade(request, raw, head, (socket) => join(answer, socket, raw))
    } else if (answer !== undefined) refuse(raw, answer)
    // A connection that nobody else listens for would stay open for ever.
    else if (isAlone) refuse(raw, foreignPathResponse(randomUUID()))
  }
  server.on("upgrade", (request, raw, head) => void decide(request, raw, head))
}
