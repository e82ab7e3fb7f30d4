/** Listens on Node with a server that has only the service. */
import { randomUUID } from "node:crypto"
import { createServer, type RequestListener, type Server } from "node:http"
import type { Socket } from "node:net"
import { answerMalformed, attachUpgrades, nodeListener } from "@sibyl/adapter-express"
import { foreignPathResponse } from "@sibyl/core"
import { Effect } from "effect"
import { acceptMore } from "./acceptMore.ts"
import { boundWaiting, type WaitingBounds } from "./boundWaiting.ts"
import { type Address, cannotListen, type Listen, originOf } from "./listening.ts"

/** Larger than Node's default of 16 KiB, so that the service itself can answer a long target with 414. */
const maxHeaderSize = 65_536

/**
 * Connections that may wait to be accepted; the system has its own bound, too (`net.core.somaxconn`). With Node's default of 511, a burst
 * overflows the queue: clients then wait for a second, three, seven and so on before they try again, while the server is idle.
 */
const backlog = 4_096

/** How many more connections than one are accepted in a turn of the event loop. Edges need none: their supervisor accepts, and does little else. */
const moreAccepted = 63

/** How long a client may take to send a head. */
const headMs = 15_000

/** Of the whole server; each edge has its part. A reverse proxy keeps spare connections, so one address may have many. */
const waitingBounds = ({ edges }: Address): WaitingBounds => ({
  perAddress: Math.ceil(256 / edges),
  inAll: Math.ceil(4_096 / edges),
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
        const server = createServer({ maxHeaderSize, ...deadlines(address) }, nodeListener(service, { prefix, elsewhere }))
        server.on("clientError", answerMalformed)
        const asked = boundWaiting(server, waitingBounds(address))
        attachUpgrades(server, service, { prefix, asked })
        const sockets = socketsOf(server)
        const port = await start(server, address)
        const acceptNoMore = address.edges === 1 ? await acceptMore(server, moreAccepted) : () => Promise.resolve()
        return { port, stop: () => Promise.all([acceptNoMore(), close(server, sockets)]) }
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
