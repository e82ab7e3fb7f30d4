/** The raw client: what it says of services that never stop sending or do not answer an upgrade properly, and how it sends in pieces. */
import { type AddressInfo, createServer, type Socket } from "node:net"
import { expect, it } from "vitest"
import { encodeFrame, FrameReader, opcodes } from "./frames.ts"
import { dial } from "./wireClient.ts"

const accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
const switching = (key: string): string =>
  `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${key}\r\n\r\n`

/** Gives each connection to `serve` once a request has come, and `work` the address. */
const withService = async (serve: (socket: Socket) => void, work: (url: string) => Promise<void>): Promise<void> => {
  const sockets: Array<Socket> = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on("error", () => {})
    socket.once("data", () => serve(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  await expect.poll(() => sockets.every(({ destroyed }) => destroyed)).toBe(true)
  await new Promise((resolve) => server.close(resolve))
}

it("is left, with the reason, once more has arrived than may", async () => {
  const message = encodeFrame({ opcode: opcodes.text, payload: "x".repeat(1_000), masked: false })
  const flooding = (socket: Socket): void => {
    socket.write(switching(accept))
    const flood = (): void => {
      while (!socket.destroyed && socket.write(message)) continue
      socket.once("drain", flood)
    }
    flood()
  }
  await withService(flooding, async (url) => {
    const { client } = await dial({ url, mostBytes: 100_000 })
    expect(await client?.ended()).toEqual({ code: 1006, reason: "closed by the kit: more than 100000 bytes arrived" })
    expect(client?.messages.length).toBeLessThanOrEqual(100)
  })
})

it.each<readonly [heard: string, serve: (socket: Socket) => void]>([
  ["closed without an answer", (socket) => void socket.destroy()],
  ["no answer within 200 ms", () => {}],
  ["101 without the sec-websocket-accept of this request", (socket) => void socket.write(switching("another"))],
  ["403", (socket) => void socket.write("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n")]
])("is told as: %s", async (heard, serve) => {
  await withService(serve, async (url) => {
    const told: Array<string> = []
    const { client } = await dial({ url, waitsForMs: 200, trace: (entry) => void told.push(entry) })
    expect(client).toBeUndefined()
    expect(told).toEqual([`> GET ${url} upgrade: websocket`, `< ${heard}`])
  })
})

it("answers no ping in the middle of a frame that it sends byte by byte", async () => {
  const heard: Array<readonly [opcode: number, payload: string]> = []
  const pinging = (socket: Socket): void => {
    socket.write(switching(accept))
    const reader = new FrameReader()
    let isPinged = false
    socket.on("data", (bytes) => {
      if (!isPinged) socket.write(encodeFrame({ opcode: opcodes.ping, payload: "now", masked: false }))
      isPinged = true
      for (const { opcode, payload } of reader.push(bytes)) heard.push([opcode, payload.toString()])
    })
  }
  await withService(pinging, async (url) => {
    const { client } = await dial({ url })
    const payload = "x".repeat(1_000)
    await client?.trickle(encodeFrame({ opcode: opcodes.text, payload }))
    await expect
      .poll(() => heard)
      .toEqual([
        [opcodes.text, payload],
        [opcodes.pong, "now"]
      ])
    client?.reset()
  })
})
