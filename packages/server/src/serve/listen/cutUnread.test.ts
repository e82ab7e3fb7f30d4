/** A client that takes nothing of its answer is cut off; one that takes it slowly, or waits for its answer, is not. */
import { once } from "node:events"
import { createServer, type Server } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { boundWaiting } from "./boundWaiting.ts"
import { cutUnread } from "./cutUnread.ts"

const unreadMs = 2_000
/** Read in pieces with pauses, it takes longer than that. A piece is large, for systems tell a sender only now and then that something was taken. */
const [largeBytes, pieceBytes] = [30_000_000, 500_000]

let server: Server
let accepted: number
const clients: Array<Socket> = []

/** One that answers `/large` at once, and nothing else. */
beforeEach(async () => {
  accepted = 0
  server = createServer({ keepAliveTimeout: unreadMs }, ({ url }, response) => {
    if (url === "/large") response.end(Buffer.alloc(largeBytes))
    if (url === "/small") response.end("small")
  })
  cutUnread(server, unreadMs, boundWaiting(server, { perAddress: 100, inAll: 100, graceMs: 0 }).isWaiting)
  server.on("connection", () => (accepted += 1))
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
})
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const connections = (): Promise<number> => new Promise((resolve) => server.getConnections((_, count) => resolve(count)))

/** A client that has asked, and reads nothing. */
const ask = async (path: string): Promise<Socket> => {
  const client = connect({ host: "127.0.0.1", port: (server.address() as AddressInfo).port })
  clients.push(client.on("error", () => {}))
  await once(client, "connect")
  client.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`)
  return client
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

// On Bun, `sibyl serve` listens with Bun's own server.
describe.skipIf(typeof globalThis.Bun !== "undefined")("a connection", () => {
  test("whose client takes nothing is ended, and so is an idle one; one that waits for its answer is not", async () => {
    const waiting = await ask("/waiting")
    await ask("/large")
    const idle = await ask("/small")
    idle.resume()
    // Not how many are open: on a busy machine two of them may be ended before anybody looks.
    await expect.poll(() => accepted, { timeout: 30_000 }).toBe(3)
    await expect.poll(connections, { timeout: 30_000 }).toBe(1)
    await pause(3 * unreadMs)
    expect([await connections(), waiting.readyState]).toEqual([1, "open"])
  })

  test("whose client takes a little again and again stays, however long that takes", async () => {
    const client = await ask("/large")
    let [bytes, pausedAt] = [0, 0]
    client.on("data", (part: Buffer) => {
      bytes += part.length
      if (bytes - pausedAt < pieceBytes) return
      pausedAt = bytes
      client.pause()
      setTimeout(() => client.resume(), 50)
    })
    await expect.poll(() => bytes, { timeout: 280_000 }).toBeGreaterThan(largeBytes)
  }, 300_000)
})
