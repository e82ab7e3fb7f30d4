/** The doctor at a collector: one that takes everything, one that refuses, one that is silent and one that is away. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { Effect } from "effect"
import { afterEach, beforeEach, expect, test } from "vitest"
import type { ConfigurationFlags } from "../config/loadConfiguration.ts"
import { loadConfiguration } from "../config/loadConfiguration.ts"
import { examineCollector } from "./examineCollector.ts"

let open: Array<Server>

beforeEach(() => {
  open = []
})
afterEach(async () => {
  for (const server of open) server.closeAllConnections()
  await Promise.all(open.map((server) => new Promise((resolve) => server.close(resolve))))
})

const listen = async (answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> => {
  const server = createServer(answer)
  open.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
}

const found = (settings: ConfigurationFlags["settings"]) =>
  Effect.runPromise(Effect.flatMap(loadConfiguration({ config: undefined, settings }), examineCollector))

test("asks nothing of nobody", async () => {
  expect(await found({})).toEqual([])
})

test("sends an empty request of each signal, with the headers", async () => {
  const asked: Array<unknown> = []
  const origin = await listen((request, response) => {
    let body = ""
    request.on("data", (chunk) => (body += String(chunk)))
    request.on("end", () => {
      asked.push([request.method, request.url, request.headers["content-type"], request.headers["x-token"], JSON.parse(body)])
      response.writeHead(200, { "content-type": "application/json" }).end("{}")
    })
  })
  expect(await found({ "otlp.endpoint": `${origin}/otlp/`, "otlp.headers": "x-token=a%20b" })).toEqual([
    { check: "collector", status: "ok", message: `${origin} takes traces, metrics, logs` }
  ])
  expect(asked).toHaveLength(3)
  expect(asked).toEqual(
    expect.arrayContaining([
      ["POST", "/otlp/v1/logs", "application/json", "a b", { resourceLogs: [] }],
      ["POST", "/otlp/v1/metrics", "application/json", "a b", { resourceMetrics: [] }],
      ["POST", "/otlp/v1/traces", "application/json", "a b", { resourceSpans: [] }]
    ])
  )
})

test("tells why it does not take a signal, without the address's path or a header", async () => {
  const origin = await listen(({ url }, response) => {
    response.writeHead(url?.endsWith("/traces") === true ? 401 : url?.endsWith("/metrics") === true ? 302 : 404).end("whatever")
  })
  const endpoint = `${origin}/key-8f1b`
  expect(await found({ "otlp.endpoint": endpoint, "otlp.headers": "x-token=secret-9" })).toEqual([
    {
      check: "collector",
      status: "warning",
      message:
        `${origin} does not take telemetry, which a server would drop: traces: it answers with 401: see otlp.headers; ` +
        "metrics: it answers with 302; logs: it answers with 404: otlp.endpoint is the address before /v1/traces, of OTLP over HTTP"
    }
  ])
})

test("tells that it does not answer, or cannot be reached", async () => {
  const silent = await listen(() => {})
  const away = await listen(() => {})
  await new Promise((resolve) => open.pop()?.close(resolve))
  const why = async (endpoint: string) => (await found({ "otlp.endpoint": endpoint })).map(({ message, status }) => [status, message])
  const said = "does not take telemetry, which a server would drop: traces, metrics, logs:"
  expect(await why(silent)).toEqual([["warning", `${silent} ${said} it does not answer in time`]])
  expect(await why(away)).toEqual([["warning", `${away} ${said} it cannot be reached`]])
})
