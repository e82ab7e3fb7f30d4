/** The service's side of a WebSocket that obeys the client's commands and reports what the adapter passed to it. */
import type { Peer, Socket } from "@sibyl/core"

/** More than a connection buffers outside of the adapter. */
const fullBytes = 12 * 1024 * 1024

const piece = "f".repeat(256 * 1024)

/** Sends until more than `fullBytes` are buffered. */
const fill = (socket: Socket): void => {
  while (socket.bufferedAmount() < fullBytes) socket.sendTexts([piece])
}

/**
 * Obeys `burst N` (N texts `0`, `1` ... at once), `fill` (sends until 12 MiB are buffered; sends `drained` when the buffer is empty),
 * `ping`, `close CODE REASON` and `terminate`; echoes any other text. Reports bytes as `bytes HEX` and a pong as `pong`.
 */
export const mirrorPeer = (socket: Socket, closed: (code: number, reason: string) => void): Peer => {
  let isFull = false
  const obey = (text: string): void => {
    const [command = "", argument = "", ...rest] = text.split(" ")
    switch (command) {
      case "burst":
        return socket.sendTexts(Array.from({ length: Number(argument) }, (_, at) => String(at)))
      case "fill":
        isFull = true
        return fill(socket)
      case "ping":
        return socket.ping()
      case "close":
        return socket.close(Number(argument), rest.join(" "))
      case "terminate":
        return socket.terminate()
      default:
        return socket.sendTexts([text])
    }
  }
  return {
    message: (frame) => (typeof frame === "string" ? obey(frame) : socket.sendTexts([`bytes ${Buffer.from(frame).toString("hex")}`])),
    pong: () => socket.sendTexts(["pong"]),
    drain: () => {
      if (!isFull || socket.bufferedAmount() > 0) return
      isFull = false
      socket.sendTexts(["drained"])
    },
    closed
  }
}
