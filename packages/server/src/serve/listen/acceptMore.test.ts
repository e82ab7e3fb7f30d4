/** A server that accepts several connections in a turn of its event loop. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setImmediate } from "node:timers/promises"
import { Worker } from "node:worker_threads"
import { describe, expect, it } from "vitest"
import { acceptMore } from "./acceptMore.ts"

/** Opens connections from a thread of its own; this one takes no turn until the system has all of them. */
const connectMeanwhile = (port: number, count: number): Worker => {
  const opened = new Int32Array(new SharedArrayBuffer(4))
  const client = `
    const { opened, port, count } = require("node:worker_threads").workerData
    for (let at = 0; at < count; at += 1) require("node:net").connect(port, "127.0.0.1", () => {
      if (Atomics.add(opened, 0, 1) === count - 1) Atomics.notify(opened, 0)
    }).on("error", () => {})`
  const worker = new Worker(client, { eval: true, workerData: { opened, port, count } })
  for (let seen = 0; seen < count; seen = Atomics.load(opened, 0)) Atomics.wait(opened, 0, seen, 10_000)
  return worker
}

/** The most connections that came in one turn. */
const mostInTurn = async (copies: number): Promise<number> => {
  const count = 32
  const server = createServer()
  const seen: Array<number> = []
  let loops = 0
  server.on("connection", () => seen.push(loops))
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const stop = await acceptMore(server, copies)
  const client = connectMeanwhile((server.address() as AddressInfo).port, count)
  for (; seen.length < count; loops += 1) await setImmediate()
  await client.terminate()
  server.closeAllConnections()
  await Promise.all([stop(), new Promise((resolve) => server.close(resolve))])
  return Math.max(...seen.map((loop) => seen.filter((other) => other === loop).length))
}

/** Asks again and again from a thread of its own until it is told to end; it then says how many requests there were, and how many answers. */
const askUntilTold = (port: number): Worker => {
  const client = `
    const { parentPort, workerData: port } = require("node:worker_threads")
    let asked = 0, answered = 0, ended = 0, last = false
    const tell = () => last && asked === ended && parentPort.postMessage({ asked, answered })
    const timer = setInterval(() => {
      asked += 1
      let isAnswered = false
      const socket = require("node:net").connect(port, "127.0.0.1", () => socket.write("GET / HTTP/1.1\\r\\nhost: a\\r\\nconnection: close\\r\\n\\r\\n"))
      socket.setTimeout(5000, () => socket.destroy())
      socket.on("data", () => (isAnswered = true)).on("error", () => {}).on("close", () => {
        ended += 1
        answered += Number(isAnswered)
        tell()
      })
    }, 1)
    parentPort.on("message", () => {
      clearInterval(timer)
      last = true
      tell()
    })`
  return new Worker(client, { eval: true, workerData: port })
}

// Bun accepts all that wait, and has no use for this.
describe.skipIf(typeof globalThis.Bun !== "undefined")("connections that wait to be accepted", () => {
  it("are accepted one in each turn by Node alone", async () => {
    expect(await mostInTurn(0)).toBe(1)
  })

  it("are accepted several in each turn with further descriptors, by a server that stops all the same", async () => {
    expect(await mostInTurn(7)).toBe(8)
  })

  it("are all answered while the descriptors are made", async () => {
    const server = createServer((_request, response) => void response.end("here"))
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const client = askUntilTold((server.address() as AddressInfo).port)
    await once(server, "request")
    const stop = await acceptMore(server, 63)
    client.postMessage("end")
    const [{ answered, asked }] = (await once(client, "message")) as [{ readonly asked: number; readonly answered: number }]
    expect(asked).toBeGreaterThan(5)
    expect(answered).toBe(asked)
    await client.terminate()
    server.closeAllConnections()
    await Promise.all([stop(), new Promise((resolve) => server.close(resolve))])
  })
})
