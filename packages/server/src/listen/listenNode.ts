/** Listens on Node: an Express app with nothing but the service in it. */
import { randomUUID } from "node:crypto"
import { createServer, type Server } from "node:http"
import { attachUpgrades, sibyl } from "@sibyl/adapter-express"
import { foreignPathResponse, type Service } from "@sibyl/core"
import { Effect } from "effect"
import express from "express"
import { type Address, cannotListen, type Listen, originOf } from "./listening.ts"

/** Node cuts a request whose head is over 16 KiB; the service says 414 to a longer target if it gets to see it. */
const maxHeaderSize = 65_536

const appOf = (service: Service, prefix: string): express.Express => {
  const app = express()
  app.disable("x-powered-by")
  app.disable("etag")
  app.use(prefix === "" ? "/" : prefix, sibyl(service))
  app.use((_request, response) => {
    const { body, headers, status } = foreignPathResponse(randomUUID())
    response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) }).end(body)
  })
  return app
}

const start = (server: Server, address: Address): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(address.port, address.host, () => {
      const bound = server.address()
      resolve(typeof bound === "object" && bound !== null ? bound.port : address.port)
    })
  })

/** How long answers that are on their way may take before their connections are cut. */
const graceMs = 10_000

const stop = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    // A connection that was busy at the first look becomes idle later, and would then be kept for the next request.
    const sweep = setInterval(() => server.closeIdleConnections(), 50)
    const cut = setTimeout(() => server.closeAllConnections(), graceMs)
    server.close(() => {
      clearInterval(sweep)
      clearTimeout(cut)
      resolve()
    })
  })

/** Serves on Node with Express. */
export const listenNode: Listen = (service, address) =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: async () => {
        const server = createServer({ maxHeaderSize }, appOf(service, address.prefix))
        attachUpgrades(server, service, { prefix: address.prefix, maxMessageBytes: address.maxMessageBytes })
        return { server, port: await start(server, address) }
      },
      catch: (cause) => cannotListen(address, cause)
    }),
    ({ server }) => Effect.promise(() => stop(server))
  ).pipe(
    Effect.map(({ port }) => ({
      url: originOf({ ...address, port }),
      runtime: `Node ${process.versions.node} (Express)`
    }))
  )
