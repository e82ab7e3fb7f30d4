/** Connections that carry no request are bounded for each address; those that carry one are left alone. */
import { once } from "node:events"
import { createServer, type Server, type ServerResponse } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { afterEach, beforeEach, expect, test } from "vitest"
import { boundWaiting } from "./boundWaiting.ts"

let server: Server
let open: Array<Socket>
let asked: Array<ServerResponse>

beforeEach(() => {
  asked = []
  open = []
})
afterEach(async () => {
  for (const socket of open) socket.destroy()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const inAll = 20

const listen = async (graceMs: number): Promise<void> => {
  server = createServer((_request, response) => void asked.push(response))
  boundWaiting(server, { perAddress: 3, inAll, graceMs })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
}

/** A connection whose request the server has. */
const asking = async (): Promise<Socket> => {
  const socket = await client()
  socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n")
  while (asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 1))
  return socket
}

const connectionsOf = (one: Server): Promise<number> =>
  new Promise((resolve, reject) => one.getConnections((error, count) => (error === null ? resolve(count) : reject(error))))

const client = async (): Promise<Socket> => {
  const socket = connect({ host: "127.0.0.1", port: (server.address() as AddressInfo).port })
  open.push(socket.on("error", () => {}))
  await once(socket, "connect")
  return socket
}

// It bounds the server of Node; `sibyl serve` on Bun listens with Bun's own, and Bun's stand-in for node:http keeps its
// connections another way.
test.skipIf(typeof globalThis.Bun !== "undefined")("the connection that has waited longest goes, one with a request stays", async () => {
  await listen(0)
  const busy = await asking()
  const [first] = [await client(), await client(), await client()]
  const gone = once(first, "close")
  await client()
  await gone
  const answered = once(busy, "data")
  asked[0]?.end("here")
  expect(String((await answered)[0])).toContain("here")
  expect(open.map(({ destroyed }) => destroyed)).toEqual([false, true, false, false, false])
})

test.skipIf(typeof globalThis.Bun !== "undefined")(
  "new connections may be more than that for a while, but never more than twice as many as may wait in all",
  async () => {
    await listen(60_000)
    const busy = await asking()
    while (open.length < 1 + 2 * inAll) await client()
    const first = open[1]
    const gone = once(first ?? busy, "close")
    await client()
    await gone
    const answered = once(busy, "data")
    asked[0]?.end("here")
    expect(String((await answered)[0])).toMatch(/^connection: keep-alive\r$/im)
    await expect.poll(() => connectionsOf(server)).toBe(2 * inAll)
  }
)
