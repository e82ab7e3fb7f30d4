/** The service behind Hono: a route of an app that speaks `Request` and `Response`, on any runtime that Hono runs on. */
import { serve as listen, type ServerType } from "@hono/node-server"
import { type Service, toWebHandler } from "@sibyl/core"
import { Hono } from "hono"

/** An app with the service below `/oracle`; what the service does not have is left to the app. */
export const appOf = (service: Service): Hono => {
  const handle = toWebHandler(service, { prefix: "/oracle" })
  const app = new Hono()
  app.all("/oracle/*", async (context) => {
    const { raw } = context.req
    const answer = await handle(raw)
    // What was not read of a body is read and dropped, so that a client that sends everything first can read the answer.
    if (raw.body?.locked === false) void raw.body.pipeTo(new WritableStream()).catch(() => {})
    return answer ?? context.notFound()
  })
  return app
}

/** Serves on a free port of loopback. */
export const serve = async (service: Service): Promise<{ readonly baseUrl: string; readonly stop: () => Promise<void> }> => {
  const { fetch } = appOf(service)
  const options = {
    hostname: "127.0.0.1",
    port: 0,
    // The service refuses a target of more than 16 KiB itself.
    serverOptions: { maxHeaderSize: 65_536 },
    // The default cuts off a client that needs longer than half a second to send what was not read of its body.
    autoCleanupIncoming: false,
    // The rest of the process keeps its own `Request` and `Response`.
    overrideGlobalObjects: false
  }
  const { port, server } = await new Promise<{ readonly port: number; readonly server: ServerType }>((resolve) => {
    const server = listen({ fetch, ...options }, (address) => resolve({ port: address.port, server }))
  })
  const stop = async (): Promise<void> => {
    server.close()
    if ("closeAllConnections" in server) server.closeAllConnections()
  }
  return { baseUrl: `http://127.0.0.1:${port}/oracle`, stop }
}
