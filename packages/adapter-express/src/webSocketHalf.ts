/** Connects an open WebSocket of `ws` to the service's `Peer`. */
import type { Duplex } from "node:stream"
import type { Opening, Socket } from "@sibyl/core"
import { WebSocket } from "ws"

/** Reasons for the codes with which `ws` itself closes; it sends the code without one. 1008: it takes 16,384 fragments of a message. */
const reasons: Readonly<Record<number, string>> = {
  1002: "Received a frame that breaks the protocol",
  1007: "Received invalid UTF-8",
  1008: "Received a message in too many pieces",
  1009: "Received too big message"
}

/** A WebSocket that records why it is closed. */
export class ReasonedWebSocket extends WebSocket {
  /** Called when `ws` answers the client's close frame: it emits `close` only when the connection has ended, which may be seconds later. */
  whenLeft: ((code: number, reason: string) => void) | undefined

  override close(code?: number, reason?: string | Buffer): void {
    const left = this.whenLeft
    this.whenLeft = undefined
    left?.(code ?? 1005, reason?.toString() ?? "")
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
  close: (code, reason) => {
    if (socket instanceof ReasonedWebSocket) socket.whenLeft = undefined
    socket.close(code, reason)
  },
  terminate: () => socket.terminate()
})

/** Joins the two halves, before the runtime can have read a first frame. */
export const join = (open: Opening, socket: WebSocket, raw: Duplex): void => {
  // An invalid frame: `ws` has answered it with its close code, and `close` follows.
  socket.on("error", () => {})
  const peer = open(socketOf(socket, raw))
  socket.on("message", (frame, isBinary) => peer.message(isBinary ? frame : frame.toString()))
  socket.on("pong", () => peer.pong())
  let hasLeft = false
  const leave = (code: number, reason: string): void => {
    if (!hasLeft) peer.closed(code, reason)
    hasLeft = true
  }
  if (socket instanceof ReasonedWebSocket) socket.whenLeft = leave
  socket.on("close", (code, reason) => leave(code, reason.toString()))
  raw.on("drain", () => peer.drain())
}
