/** Servers of the mirror service: one alone, one with a fallback, one of the embedder's own, one with WebSockets of the embedder's own. */
import { InvalidOption, type Service } from "@sibyl/core"
import { makeMirrorService } from "@sibyl/testing"
import { createHandlers, fetchHandler, serve, type ServeOptions, type SocketData } from "../index.ts"
import { serveParent, type Started } from "./bunProcess.ts"

/** Addresses without a trailing slash. */
export interface MirrorServers {
  /** The mirror service below `/oracle`. */
  readonly alone: string
  /** The mirror service at the root. */
  readonly withFallback: string
  /** The mirror service below `/oracle`. */
  readonly ownServer: string
  /** The mirror service below `/oracle`, beside WebSockets that welcome and echo. */
  readonly besideOwnSockets: string
  /** The mirror service below `/oracle`, its handlers being all of the server's but for its route `/own`. */
  readonly spread: string
  /** The address of a server without a `hostname` option. */
  readonly usualHost: string
  /** The options for which no server was started. */
  readonly refused: ReadonlyArray<unknown>
}

const loopback = { port: 0, hostname: "127.0.0.1" } as const

interface Chat {
  readonly room: string
}

type OracleSocket = Bun.ServerWebSocket<SocketData>

/** As the README of this package shows it. */
const serveBesideOwnSockets = (service: Service): Bun.Server<SocketData | Chat> => {
  const oracle = createHandlers(service, { prefix: "/oracle" })
  return Bun.serve<SocketData | Chat>({
    ...loopback,
    fetch: async (request, server) => {
      const answer = await oracle.fetch(request, server)
      if (answer !== undefined) return answer
      const isChat = new URL(request.url).pathname === "/chat"
      return isChat && server.upgrade(request, { data: { room: "lobby" } }) ? undefined : new Response("my own app", { status: 404 })
    },
    websocket: {
      ...oracle.websocket,
      open: (ws) => ("open" in ws.data ? oracle.websocket.open?.(ws as OracleSocket) : void ws.send(`welcome to ${ws.data.room}`)),
      message: (ws, frame) => ("open" in ws.data ? oracle.websocket.message?.(ws as OracleSocket, frame) : void ws.send(frame))
    }
  })
}

/** Starts one server of each kind. */
export const start = async (): Promise<Started<MirrorServers>> => {
  const service = makeMirrorService()
  const alone = serve({ port: 0, service, prefix: "/oracle" })
  const fallback = (request: Request): Response => new Response(`fallback ${new URL(request.url).pathname}`)
  const withFallback = serve({ ...loopback, service, fallback })
  const handle = fetchHandler(service, { prefix: "/oracle" })
  const ownServer = Bun.serve({
    ...loopback,
    fetch: async (request) => (await handle(request)) ?? new Response("own", { status: 418 })
  })
  const wrong = [{ ...loopback, service, host: "0.0.0.0" }, { service }, loopback]
  const refused = wrong.map((options) => {
    try {
      void serve(options as unknown as ServeOptions).stop(true)
    } catch (error) {
      return error instanceof InvalidOption ? error.option : error
    }
    return "started"
  })
  const spread = Bun.serve({
    ...loopback,
    routes: { "/own": () => new Response("own") },
    ...createHandlers(service, { prefix: "/oracle", standAlone: true })
  })
  const servers = [alone, withFallback, ownServer, serveBesideOwnSockets(service), spread]
  const [a = "", b = "", c = "", d = "", e = ""] = servers.map((server) => `http://127.0.0.1:${server.port}`)
  return {
    known: { alone: a, withFallback: b, ownServer: c, besideOwnSockets: d, spread: e, usualHost: `${alone.hostname}`, refused },
    stop: async () => {
      await Promise.all(servers.map((server) => server.stop(true)))
    }
  }
}

if (import.meta.main) await serveParent(start)
