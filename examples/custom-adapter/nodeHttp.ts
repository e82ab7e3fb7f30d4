/** An adapter for a server that Sibyl does not know: Node's own `http`, without a framework. */
import { createServer, type IncomingMessage, type RequestListener, type Server, ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { Duplex } from "node:stream"
import {
  belowMountPoint,
  BodyUnreadable,
  foreignPathResponse,
  type Opening,
  originForm,
  type Service,
  type ServiceRequest,
  type ServiceResponse
} from "@sibyl/core"
import { type WebSocket, WebSocketServer } from "ws"

const bodyOf = (request: IncomingMessage) => (maxBytes: number) =>
  new Promise<Uint8Array>((resolve, reject) => {
    const chunks: Array<Buffer> = []
    let length = 0
    request.on("data", (chunk: Buffer) => {
      // What comes after the limit is read and dropped, so that the client can finish sending and see the answer.
      if ((length += chunk.length) > maxBytes) reject(new BodyUnreadable("tooLarge", `The body is larger than ${maxBytes} bytes.`))
      else chunks.push(chunk)
    })
    request.once("end", () => resolve(Buffer.concat(chunks)))
    request.once("close", () => reject(new BodyUnreadable("aborted", "The client left before the body was complete.")))
  })

const requestOf = (request: IncomingMessage, url: string, signal?: AbortSignal): ServiceRequest => ({
  method: request.method ?? "GET",
  url,
  header: (name) => request.headersDistinct[name.toLowerCase()]?.join(", "),
  body: bodyOf(request),
  ...(signal === undefined ? {} : { signal })
})

const answer = (response: ServerResponse, given: ServiceResponse = foreignPathResponse(crypto.randomUUID())): void => {
  const { body, headers, status } = given
  // An answer to HEAD has no body, and must not claim that the one to GET is empty.
  const length = response.req.method === "HEAD" ? {} : { "content-length": Buffer.byteLength(body) }
  response.writeHead(status, { ...headers, ...length }).end(body)
}

/** The two halves of an open WebSocket: what the service may do with the socket, and what the socket tells the service. */
const join = (open: Opening, socket: WebSocket, raw: Duplex): void => {
  const peer = open({
    sendTexts: (frames) => frames.forEach((frame) => socket.send(frame)),
    bufferedAmount: () => socket.bufferedAmount,
    ping: () => socket.ping(),
    close: (code, reason) => socket.close(code, reason),
    terminate: () => socket.terminate()
  })
  socket.on("message", (frame: Buffer, isBinary) => peer.message(isBinary ? frame : frame.toString()))
  socket.on("pong", () => peer.pong()).on("close", (code, reason) => peer.closed(code, reason.toString()))
  socket.on("error", () => {})
  raw.on("drain", () => peer.drain())
}

/** A server of the service below a prefix such as `/oracle`. */
export const serverOf = (service: Service, prefix: string): Server => {
  const below = (request: IncomingMessage): string | undefined => belowMountPoint(originForm(request.url ?? "/"), { prefix })
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const left = new AbortController()
    response.once("close", () => response.writableFinished || left.abort())
    const url = below(request)
    answer(response, url === undefined ? undefined : await service.fetch(requestOf(request, url, left.signal)))
  }
  // The service never rejects, so this is a fault of the adapter, and costs its own connection only.
  const listener: RequestListener = (request, response) => void respond(request, response).catch(() => response.destroy())
  const selected = new WeakMap<IncomingMessage, string>()
  const handleProtocols = (_: Set<string>, request: IncomingMessage): string | false => selected.get(request) ?? false
  const webSockets = new WebSocketServer({ noServer: true, maxPayload: service.maxMessageBytes, handleProtocols })
  // The service refuses a target of more than 16 KiB itself.
  const options = { maxHeaderSize: 65_536 }
  // Without a listener of "upgrade", a server answers an offer of another protocol like any request.
  const plain = createServer(options, listener)
  const upgrade = async (request: IncomingMessage, raw: Duplex, head: Buffer): Promise<void> => {
    raw.on("error", () => raw.destroy())
    if (request.headers.upgrade?.toLowerCase() !== "websocket") {
      const lines = request.rawHeaders.flatMap((name, at, all) => (at % 2 === 0 ? [`${name}: ${all[at + 1]}`] : []))
      raw.unshift(
        Buffer.concat([Buffer.from(`${request.method} ${request.url} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`, "latin1"), head])
      )
      plain.emit("connection", raw)
      return
    }
    const url = below(request)
    const given = url === undefined ? undefined : await service.upgrade(requestOf(request, url))
    if (typeof given === "function") {
      if (given.protocol !== undefined) selected.set(request, given.protocol)
      return webSockets.handleUpgrade(request, raw, head, (socket) => join(given, socket, raw))
    }
    const response = new ServerResponse(request)
    response.shouldKeepAlive = false
    response.assignSocket(raw as never)
    response.once("finish", () => raw.resume().end())
    answer(response, given)
  }
  return createServer(options, listener).on("upgrade", (request, raw, head) => void upgrade(request, raw, head).catch(() => raw.destroy()))
}

/** Serves on a free port of loopback. */
export const serve = async (service: Service): Promise<{ readonly baseUrl: string; readonly stop: () => Promise<void> }> => {
  const server = serverOf(service, "/oracle")
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const stop = async (): Promise<void> => {
    server.close()
    server.closeAllConnections()
  }
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/oracle`, stop }
}
