/** Limits the idle connections of a Node server, so that no client can exhaust its sockets. */
import type { Server } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"

/** The most connections without a request that a server on Node has. */
export const mostWaiting = 4_096

/** The most connections without a request; beyond this the one that has waited longest is closed. Of all, never more than twice as many. */
export interface WaitingBounds {
  readonly perAddress: number
  readonly inAll: number
  /** A new connection is not closed yet: many clients may connect at once, each about to send a request. */
  readonly graceMs: number
}

/** What else needs to know of the connections that wait. */
export interface WaitingConnections {
  /** To be called with each connection that becomes a WebSocket; an `upgrade` listener of its own would count as one that answers. */
  readonly asked: (raw: Duplex) => void
  readonly isWaiting: (socket: Socket) => boolean
}

/** Waiting connections with the monotonic time since which they wait, the longest first. */
type Waiting = Map<Duplex, number>

const cutOldest = (waiting: Waiting, max: number, nowMs: number, graceMs: number): void => {
  for (const [socket, sinceMs] of waiting) {
    if (waiting.size <= max || nowMs - sinceMs < graceMs) return
    socket.destroy()
    waiting.delete(socket)
  }
}

/** Watches a server that does not listen yet. */
export const boundWaiting = (server: Server, { graceMs, inAll, perAddress }: WaitingBounds): WaitingConnections => {
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
    // However new they are, so that a flood of them takes a bounded amount of memory.
    cutOldest(all, 2 * inAll, nowMs, 0)
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
  return { asked: (raw) => leave(raw, addressOf.get(raw) ?? ""), isWaiting: (socket) => all.has(socket) }
}
