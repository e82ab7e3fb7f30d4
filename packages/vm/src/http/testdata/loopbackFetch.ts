/** Shared by the tests of the outbound fetch: servers on loopback that end with the test, and single requests. */
import { HttpFetch, type OutboundRequest, type OutboundResponse } from "@sibyl/core"
import { Effect } from "effect"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from "node:net"
import { layerHttpFetch, type OutboundOptions } from "../httpFetchLive.ts"

const cleanups: Array<() => void> = []

/** Closes what the test has opened. */
export const closeServers = (): void => {
  for (const cleanup of cleanups.splice(0)) cleanup()
}

/** Listens on loopback until the servers are closed; resolves to the port. */
export const listen = async (server: Server | TcpServer): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  cleanups.push(() => {
    if ("closeAllConnections" in server) server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** An HTTP server; resolves to its port. */
export const serve = (handler: (request: IncomingMessage, response: ServerResponse) => void): Promise<number> =>
  listen(createServer(handler))

/** A server that answers with the given bytes, HTTP or not, and then closes. */
export const serveRaw = (bytes: string): Promise<number> =>
  listen(
    createTcpServer((socket) => {
      socket.on("error", () => socket.destroy())
      socket.once("data", () => socket.end(bytes))
    })
  )

/** A request of a program, by default GET. */
export const request = (url: string, changes: Partial<OutboundRequest> = {}): OutboundRequest => ({
  projectId: "project",
  url,
  method: "GET",
  headers: [],
  body: new Uint8Array(),
  timeoutMs: 5_000,
  maxResponseBytes: 1_000,
  ...changes
})

/** One request through the outbound fetch. */
export const fetchOnce = (options: OutboundOptions, outbound: OutboundRequest): Promise<OutboundResponse> =>
  HttpFetch.pipe(
    Effect.flatMap(({ fetch }) => fetch(outbound)),
    Effect.provide(layerHttpFetch(options)),
    Effect.runPromise
  )

/** Overrides a host with a server on loopback. */
export const overriding = (port: number, host = "upstream.test"): OutboundOptions => ({
  hostOverrides: { [host]: `http://127.0.0.1:${port}` }
})

/** The text of an answer, or why there was none. */
export const text = (response: OutboundResponse): string =>
  response.kind === "answered" ? new TextDecoder().decode(response.bytes) : `rejected: ${response.message}`

/** A request that was refused or failed. */
export const rejected = (message: string): OutboundResponse => ({ kind: "rejected", message, timedOut: false })
