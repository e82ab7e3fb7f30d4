/** The way over the network loses no request of a client that was not given the processor for a while. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, expect, test } from "vitest"
import { networkWire } from "./trafficWire.ts"

/** Closes a connection that it has kept idle for 50 ms. */
const server = createServer({ keepAliveTimeout: 50 }, (request, response) => {
  let body = ""
  request.on("data", (piece: Buffer) => (body += piece.toString()))
  request.on("end", () => response.writeHead(599, { "X-Said": ["a", "b"] }).end(`${request.method} ${request.url} ${body} é`))
})
let baseUrl = ""

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/oracle`
})
afterAll(() => void server.close())

const standStill = (ms: number): void => {
  const untilMs = performance.now() + ms
  while (performance.now() < untilMs) {
    // Neither this client nor its connections are given time.
  }
}

test("every request has a connection of its own", async () => {
  const wire = networkWire({ baseUrl })
  for (let asked = 0; asked < 5; asked += 1) {
    const answer = await wire.ask({ method: "POST", path: "/execute?a=b", headers: { "content-type": "application/json" }, body: "{}" })
    expect(answer).toMatchObject({ status: 599, headers: { "x-said": "a, b" }, text: "POST /oracle/execute?a=b {} é" })
    standStill(80)
  }
  server.closeAllConnections()
})

test("where nothing listens, there is no answer", async () => {
  const wire = networkWire({ baseUrl: "http://127.0.0.1:1" })
  await expect(wire.ask({ method: "GET", path: "/health", headers: {}, body: undefined })).rejects.toThrow()
})
