/** The servers of the adapter's tests; run by `bun` it starts them, prints their addresses as JSON, and ends with its standard input. */
import { makeMirrorService } from "@sibyl/testing"
import { fetchHandler, serve } from "../index.ts"

/** Addresses without a slash at the end. */
export interface MirrorServers {
  readonly alone: string
  readonly withFallback: string
  readonly ownServer: string
}

const loopback = { port: 0, hostname: "127.0.0.1" } as const

/** Starts one server of each kind; `stop` ends them all. */
export const startMirrorServers = (): { readonly addresses: MirrorServers; readonly stop: () => Promise<void> } => {
  const service = makeMirrorService()
  const alone = serve({ ...loopback, service, prefix: "/oracle" })
  const fallback = (request: Request): Response => new Response(`fallback ${new URL(request.url).pathname}`)
  const withFallback = serve({ ...loopback, service, fallback })
  const handle = fetchHandler(service, { prefix: "/oracle" })
  const ownServer = Bun.serve({
    ...loopback,
    fetch: async (request) => (await handle(request)) ?? new Response("own", { status: 418 })
  })
  const servers = [alone, withFallback, ownServer]
  const [a = "", b = "", c = ""] = servers.map((server) => `http://127.0.0.1:${server.port}`)
  return {
    addresses: { alone: a, withFallback: b, ownServer: c },
    stop: async () => {
      await Promise.all(servers.map((server) => server.stop(true)))
    }
  }
}

if (import.meta.main) {
  const { addresses, stop } = startMirrorServers()
  process.stdout.write(`${JSON.stringify(addresses)}\n`)
  // The parent's end, however it comes, closes the pipe.
  process.stdin.resume().once("end", () => void stop().then(() => process.exit(0)))
}
