/** Requests that are written ahead begin a few at a time, are answered in their order, and keep nobody else waiting. */
import { once } from "node:events"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { boundPipelines, mostAhead, mostHeld, mostInATurn } from "./boundPipelines.ts"

let server: Server
let open: Array<Socket>
let started: number
let begun: Array<readonly [path: string, answer: () => void]>

const textOf = async (request: IncomingMessage): Promise<string> => {
  let text = ""
  for await (const part of request) text += String(part)
  return text
}

const begin = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const path = request.url ?? ""
  started += 1
  const body = request.method === "POST" ? await textOf(request) : ""
  if (path.startsWith("/now")) response.end(`<${path}${body}>`)
  else begun.push([path, () => void response.end(`<${path}>`)])
}

beforeEach(async () => {
  ;[open, begun, started] = [[], [], 0]
  server = createServer(boundPipelines((request, response) => void begin(request, response)))
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
})
afterEach(async () => {
  for (const socket of open) socket.destroy()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

/** A connection, and what has been answered on it. */
const connected = async () => {
  const socket = connect({ host: "127.0.0.1", port: (server.address() as AddressInfo).port })
  open.push(socket.on("error", () => {}))
  const said = { text: "" }
  socket.on("data", (bytes: Buffer) => void (said.text += String(bytes)))
  await once(socket, "connect")
  const answers = (): ReadonlyArray<string> => [...said.text.matchAll(/<([^>]*)>/g)].map(([, path = ""]) => path)
  return { socket, answers }
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`
const post = (path: string, body: string): string => `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`
const many = Array.from({ length: 3_000 }, (_, at) => `${at}`)

/** Other tests may run beside this one. */
const waiting = { timeout: 30_000 }

/** Until this has been so for some turns of the event loop. */
const settled = async (isSo: () => boolean): Promise<void> => {
  for (let times = 0; times < 20; times = isSo() ? times + 1 : 0) await new Promise((resolve) => setTimeout(resolve, 5))
}

// It bounds the server of Node; on Bun, `sibyl serve` listens with Bun's own.
describe.skipIf(typeof globalThis.Bun !== "undefined")("requests written ahead", () => {
  test("begin a few at a time, in their order, and others have their turn", async () => {
    const flood = await connected()
    flood.socket.write(many.map((at) => get(`/${at}`)).join(""))
    await settled(() => begun.length >= mostAhead)
    expect(begun.map(([path]) => path)).toEqual(many.slice(0, mostAhead).map((at) => `/${at}`))

    const other = await connected()
    other.socket.write(get("/now"))
    await expect.poll(other.answers, waiting).toEqual(["/now"])

    for (let at = 0; at < many.length; at += 1) {
      await expect.poll(() => begun.length, { ...waiting, interval: 1 }).toBeGreaterThan(at)
      expect(begun.length).toBeLessThanOrEqual(at + mostAhead)
      begun[at]?.[1]()
    }
    await expect.poll(() => flood.answers().length, waiting).toBe(many.length)
    expect(flood.answers()).toEqual(many.map((at) => `/${at}`))
  })

  test("begin in turns with those of all others, also where each is answered at once", async () => {
    const floods = await Promise.all(Array.from({ length: 20 }, connected))
    let [before, most, isOver] = [started, 0, false]
    const turn = (): void => {
      most = Math.max(most, started - before)
      before = started
      if (!isOver) setImmediate(turn)
    }
    turn()
    const paths = Array.from({ length: 400 }, (_, at) => `/now${at}`)
    for (const { socket } of floods) socket.write(paths.map(get).join(""))
    await expect.poll(() => floods.map(({ answers }) => answers().length), waiting).toEqual(floods.map(() => 400))
    isOver = true
    expect(floods.map(({ answers }) => answers())).toEqual(floods.map(() => paths))
    // In one turn of the event loop, the first of each connection may have come, too.
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThanOrEqual(mostInATurn + floods.length)
  })

  test("beyond what may wait in all end their connection, not those of others", async () => {
    const modest = await connected()
    modest.socket.write(
      many
        .slice(0, mostAhead)
        .map((at) => get(`/${at}`))
        .join("")
    )
    const floods = await Promise.all(Array.from({ length: Math.ceil(mostHeld / 1_000) + 5 }, connected))
    const closed = floods.map(({ socket }) => once(socket, "close"))
    for (const { socket } of floods) socket.write(Array.from({ length: 1_000 }, (_, at) => get(`/${at}`)).join(""))
    await Promise.race(closed)
    for (const { socket } of floods) socket.destroy()
    await settled(() => begun.length >= mostAhead)
    for (const [, answer] of begun) answer()
    await expect.poll(() => modest.answers().length, waiting).toBe(mostAhead)
    // Their places are free again.
    const next = await connected()
    next.socket.write(many.map((at) => get(`/now${at}`)).join(""))
    await expect.poll(() => next.answers().length, waiting).toBe(many.length)
  })

  test("are answered with their bodies, also where one comes in parts", async () => {
    const { answers, socket } = await connected()
    const bodies = many.map((at) => post(`/now${at}`, `+${at}`)).join("")
    const [head, tail] = [bodies.slice(0, -2), bodies.slice(-2)]
    socket.write(head)
    await expect.poll(() => answers().length, waiting).toBe(many.length - 1)
    socket.write(tail + get("/now"))
    await expect.poll(() => answers().length, waiting).toBe(many.length + 1)
    expect(answers()).toEqual([...many.map((at) => `/now${at}+${at}`), "/now"])
  })

  test("do not begin once it shows that their client has left", async () => {
    const { socket } = await connected()
    socket.write(many.map((at) => get(`/${at}`)).join(""))
    await settled(() => begun.length >= mostAhead)
    socket.destroy()
    // Nothing is read from a connection with held requests: that it has gone shows when it is written to.
    for (let at = 0; at < begun.length; at += 1) {
      begun[at]?.[1]()
      await settled(() => true)
    }
    expect(begun.length).toBeLessThanOrEqual(2 * mostAhead)
    await expect.poll(() => new Promise((resolve) => server.getConnections((_, count) => resolve(count))), waiting).toBe(0)
  })
})
