/** The far side of a WebSocket that does what it is told, and tells what the adapter gave it. */
import type { Peer, Socket } from "@sibyl/core"

/** More than any connection holds by itself. */
const fullBytes = 12 * 1024 * 1024

const piece = "f".repeat(256 * 1024)

/** Sends until more than `fullBytes` wait. */
const fill = (socket: Socket): void => {
  while (socket.bufferedAmount() < fullBytes) socket.sendTexts([piece])
}

/**
 * Obeys `burst N` (N texts `0`, `1` ... at once), `fill` (sends pieces until 12 MiB wait; says `drained` when nothing
 * waits any more), `ping`, `close CODE REASON` and `terminate`; gives back any other text. Tells bytes as
 * `bytes HEX` and a pong as `pong`.
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
