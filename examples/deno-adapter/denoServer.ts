/** The service on Deno's own server, `Deno.serve`. */
import { foreignPathResponse, type Service, toWebHandler, webResponseOf } from "@sibyl/core"

/** What is used of Deno's global: in this repository the types are those of Node. */
declare const Deno: {
  readonly serve: (
    options: { readonly hostname: string; readonly port: number; readonly onListen: () => void },
    handler: (request: Request) => Promise<Response>
  ) => { readonly addr: { readonly port: number }; readonly shutdown: () => Promise<void> }
}

/** Answers requests with the service below `/oracle`; what the service does not have would be the rest of your server. */
export const handlerOf = (service: Service): ((request: Request) => Promise<Response>) => {
  const handle = toWebHandler(service, { prefix: "/oracle" })
  return async (request) => {
    const answer = await handle(request)
    // What was not read of a body is read and dropped, so that a client that sends everything first can read the answer.
    if (request.body?.locked === false) void request.body.pipeTo(new WritableStream()).catch(() => {})
    return answer ?? webResponseOf(foreignPathResponse(crypto.randomUUID()))
  }
}

/** Serves on a free port of loopback. */
export const serve = async (service: Service): Promise<{ readonly baseUrl: string; readonly stop: () => Promise<void> }> => {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, handlerOf(service))
  return { baseUrl: `http://127.0.0.1:${server.addr.port}/oracle`, stop: () => server.shutdown() }
}
