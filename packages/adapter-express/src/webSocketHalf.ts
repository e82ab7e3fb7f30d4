/** Connects an open WebSocket of `ws` to the service's `Peer`. */
import type { Duplex } from "node:stream"
import type { Opening, Socket } from "@sibyl/core"
import { WebSocket } from "ws"

/** Reasons for the codes with which `ws` itself closes; it sends the code without a reason. */
const reasons: Readonly<Record<number, string>> = {
  1002: "Received a frame that breaks the protocol",
  1007: "Received invalid UTF-8",
  1009: "Received too big message"
}

/** A WebSocket that records why it is closed. */
export class ReasonedWebSocket extends WebSocket {
  override close(code?: number, reason?: string | Buffer): void {
    super.close(code, reason ?? (code === undefined ? undefined : reasons[code]))
  }
}

const asText = { binary: false }

/** The runtime's half of a WebSocket; `raw` is the connection that `ws` writes to. */
const socketOf = (socket: WebSocket, raw: Duplex): Socket => ({
  sendTexts: (frames) => {
    // A single write for all of them makes five times as many messages per second.
    raw.cork()
    for (const frame of frames) socket.send(frame)
    raw.uncork()
  },
  // The same bytes for all sockets: `ws` writes them behind a head of its own, without a copy.
  sendShared: ({ bytes }) => socket.send(bytes, asText),
  bufferedAmount: () => socket.bufferedAmount,
  ping: () => socket.ping(),
  close: (code, reason) => socket.close(code, reason),
  terminate: () => socket.terminate()
})

/** Joins the two halves, before the runtime can have read a first frame. */
export const join = (open: Opening, socket: WebSocket, raw: Duplex): void => {
  // An invalid frame: `ws` has answered it with its close code, and `close` follows.
  socket.on("error", () => {})
  const peer = open(socketOf(socket, raw))
  socket.on("message", (frame, isBinary) => peer.message(isBinary ? frame : frame.toString()))
  socket.on("pong", () => peer.pong())
  socket.on("close", (code, reason) => peer.closed(code, reason.toString()))
  raw.on("drain", () => peer.drain())
}
