/** Servers of the mirror service: one alone, one with a fallback, one of the embedder's own. */
import { InvalidOption } from "@sibyl/core"
import { makeMirrorService } from "@sibyl/testing"
import { fetchHandler, serve, type ServeOptions } from "../index.ts"
import { serveParent, type Started } from "./bunProcess.ts"

/** Addresses without a trailing slash. */
export interface MirrorServers {
  /** The mirror service below `/oracle`. */
  readonly alone: string
  /** The mirror service at the root. */
  readonly withFallback: string
  /** The mirror service below `/oracle`. */
  readonly ownServer: string
  /** The address of a server without a `hostname` option. */
  readonly usualHost: string
  /** The options for which no server was started. */
  readonly refused: ReadonlyArray<unknown>
}

const loopback = { port: 0, hostname: "127.0.0.1" } as const

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
  const servers = [alone, withFallback, ownServer]
  const [a = "", b = "", c = ""] = servers.map((server) => `http://127.0.0.1:${server.port}`)
  return {
    known: { alone: a, withFallback: b, ownServer: c, usualHost: `${alone.hostname}`, refused },
    stop: async () => {
      await Promise.all(servers.map((server) => server.stop(true)))
    }
  }
}

if (import.meta.main) await serveParent(start)
