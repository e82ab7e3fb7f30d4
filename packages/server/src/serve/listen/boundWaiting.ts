/** Bounds the connections of a Node server that carry no request, so that nobody holds its sockets by doing nothing. */
import type { Server } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"

/** Connections without a request, beyond which the one that has waited longest is cut. */
export interface WaitingBounds {
  readonly perAddress: number
  readonly inAll: number
  /** Who has just come is not cut yet: many clients may come at once, each with a request on its way. */
  readonly graceMs: number
}

/** Waiting connections, the longest waiting first, by the time (monotonic) since when they wait. */
type Waiting = Map<Duplex, number>

const cutOldest = (waiting: Waiting, max: number, nowMs: number, graceMs: number): void => {
  for (const [socket, sinceMs] of waiting) {
    if (waiting.size <= max || nowMs - sinceMs < graceMs) return
    socket.destroy()
    waiting.delete(socket)
  }
}

/**
 * Watches a server that does not listen yet. Answers what to call with a connection that is a WebSocket's from now on: a
 * listener of `upgrade` would be taken for somebody who answers.
 */
export const boundWaiting = (server: Server, { graceMs, inAll, perAddress }: WaitingBounds): ((raw: Duplex) => void) => {
  const all: Waiting = new Map()
  const byAddress = new Map<string, Waiting>()
  const leave = (socket: Duplex, address: string): void => {
    all.delete(socket)
    const own = byAddress.get(address)
    own?.delete(socket)
    if (own?.size === 0) byAddress.delete(address)
  }
  const wait = (socket: Socket, address: string): void => {
    if (socket.destroyed) return
    const nowMs = performance.now()
    const own = byAddress.get(address) ?? new Map<Duplex, number>()
    byAddress.set(address, own)
    for (const waiting of [own, all]) waiting.set(socket, nowMs)
    cutOldest(own, perAddress, nowMs, graceMs)
    cutOldest(all, inAll, nowMs, graceMs)
  }
  const addressOf = new WeakMap<object, string>()
  server.on("connection", (socket) => {
    const address = socket.remoteAddress ?? ""
    addressOf.set(socket, address)
    socket.once("close", () => leave(socket, address))
    wait(socket, address)
  })
  server.on("request", ({ socket }, response) => {
    const address = addressOf.get(socket)
    if (address === undefined) return
    leave(socket, address)
    response.once("close", () => wait(socket, address))
  })
  return (raw) => leave(raw, addressOf.get(raw) ?? "")
}
