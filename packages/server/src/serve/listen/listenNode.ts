/** Listens on Node with a server that has only the service. */
import { randomUUID } from "node:crypto"
import { createServer, type RequestListener, type Server } from "node:http"
import type { Socket } from "node:net"
import { answerMalformed, attachUpgrades, nodeListener } from "@sibyl/adapter-express"
import { foreignPathResponse } from "@sibyl/core"
import { Effect } from "effect"
import { acceptMore } from "./acceptMore.ts"
import { boundPipelines } from "./boundPipelines.ts"
import { boundWaiting, mostWaiting, type WaitingBounds } from "./boundWaiting.ts"
import { cutUnread } from "./cutUnread.ts"
import { type Address, cannotListen, type Listen, originOf } from "./listening.ts"
import { requireHost } from "./requireHost.ts"

/** Larger than Node's default of 16 KiB, so that the service itself can answer a long target with 414. */
const maxHeaderSize = 65_536

/**
 * Connections that may wait to be accepted; the system has its own bound, too (`net.core.somaxconn`). With Node's default of 511, a burst
 * overflows the queue: clients then wait for a second, three, seven and so on before they try again, while the server is idle.
 */
const backlog = 4_096

/** How many more connections than one are accepted in a turn of the event loop. Edges need none: their supervisor accepts, and does little else. */
const moreAccepted = 63

/** How long a client may take nothing of its answer. */
const unreadMs = 60_000

/** How long a client may take to send a head. */
const headMs = 15_000

/** Of the whole server; each edge has its part. A reverse proxy keeps spare connections, so one address may have many. */
const waitingBounds = ({ edges }: Address): WaitingBounds => ({
  perAddress: Math.ceil(256 / edges),
  inAll: Math.ceil(mostWaiting / edges),
  // Longer than a turn of the event loop under overload: what a connection has sent is read in a later turn than the one that accepts it.
  graceMs: 5_000
})

const deadlines = ({ bodyMs }: Address) => ({
  headersTimeout: headMs,
  // The service times out a body that it reads; this is for bodies that it does not read.
  requestTimeout: headMs + bodyMs,
  connectionsCheckingInterval: 1_000
})

/** Every path that is not the service's. */
const elsewhere: RequestListener = (_request, response) => {
  const { body, headers, status } = foreignPathResponse(randomUUID())
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) }).end(body)
}

const start = (server: Server, address: Address): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen({ port: address.port, host: address.host, backlog }, () => {
      const bound = server.address()
      resolve(typeof bound === "object" && bound !== null ? bound.port : address.port)
    })
  })

/** How long answers in flight may take before their connections are closed. */
const graceMs = 10_000

/** Node no longer tracks a connection after an upgrade request, but `close` waits for it. */
const socketsOf = (server: Server): ReadonlySet<Socket> => {
  const sockets = new Set<Socket>()
  server.on("connection", (socket) => {
    sockets.add(socket)
    socket.once("close", () => sockets.delete(socket))
  })
  return sockets
}

const mostQuietWaits = 40

/** One more connection of an edge takes a message from its supervisor and back: on a busy machine, until both have had a processor. */
const quietMsOf = ({ edges }: Address): number => (edges === 1 ? 25 : 150)

/**
 * Waits until connections that have been accepted for this process have come to it: those of an edge come one by one from its supervisor, and
 * would be reset with the server. Twice, because the first wait may end before what it waited for was read.
 */
const lastConnections = async (server: Server, quietMs: number): Promise<void> => {
  let arrived = 0
  const count = (): void => void (arrived += 1)
  server.on("connection", count)
  let quiet = 0
  for (let waits = 0; quiet < 2 && waits < mostQuietWaits; waits += 1) {
    const before = arrived
    await new Promise((resolve) => setTimeout(resolve, quietMs))
    quiet = arrived === before ? quiet + 1 : 0
  }
  server.off("connection", count)
}

const close = (server: Server, sockets: ReadonlySet<Socket>): Promise<void> =>
  new Promise((resolve) => {
    // A connection that was busy at first becomes idle later, and would be kept alive for another request.
    const sweep = setInterval(() => server.closeIdleConnections(), 50)
    const cut = setTimeout(() => {
      for (const socket of sockets) socket.destroy()
    }, graceMs)
    server.close(() => {
      clearInterval(sweep)
      clearTimeout(cut)
      resolve()
    })
  })

/** Serves on Node. */
export const listenNode: Listen = (service, address) =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: async () => {
        const { prefix } = address
        const listener = boundPipelines(requireHost(nodeListener(service, { prefix, elsewhere })))
        const server = createServer({ maxHeaderSize, requireHostHeader: false, ...deadlines(address) }, listener)
        // All within `maxHeaderSize`: Node would leave out what comes after the 2,000th, and with it a key or a second Host.
        server.maxHeadersCount = 0
        server.on("clientError", answerMalformed)
        // A server may ignore expectations that it does not know (RFC 9110, section 10.1.1); Node would answer them itself, without the usual body.
        server.on("checkExpectation", (request, response) => server.emit("request", request, response))
        const { asked, isWaiting } = boundWaiting(server, waitingBounds(address))
        cutUnread(server, unreadMs, isWaiting)
        attachUpgrades(server, service, { prefix, asked })
        const sockets = socketsOf(server)
        const port = await start(server, address)
        const acceptNoMore = address.edges === 1 ? await acceptMore(server, moreAccepted) : () => Promise.resolve()
        const stop = async () => {
          await lastConnections(server, quietMsOf(address))
          return Promise.all([acceptNoMore(), close(server, sockets)])
        }
        return { port, stop }
      },
      catch: (cause) => cannotListen(address, cause)
    }),
    ({ stop }) => Effect.promise(stop)
  ).pipe(
    Effect.map(({ port }) => ({
      url: originOf({ ...address, port }),
      runtime: `Node ${process.versions.node}`
    }))
  )
