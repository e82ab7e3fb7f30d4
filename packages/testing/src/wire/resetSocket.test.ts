/** Connections that are dropped, while they are open and while they are being ended. */
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { afterEach, expect, it } from "vitest"
import { resetSocket } from "./resetSocket.ts"

const server = createServer()
let taken: Socket | undefined

afterEach(() => {
  taken?.destroy()
  server.close()
})

const connected = async (): Promise<Socket> => {
  if (!server.listening) await once(server.listen(0, "127.0.0.1"), "listening")
  const accepted = once(server, "connection")
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1")
  const [other] = await accepted
  taken = other as Socket
  taken.pause().on("error", () => {})
  return socket
}

const closes = async (socket: Socket): Promise<number> => {
  const openBefore = process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length
  const closed = once(socket, "close")
  resetSocket(socket)
  await closed
  await new Promise((resolve) => setTimeout(resolve, 20))
  return openBefore - process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length
}

it("closes an open connection", async () => {
  expect(await closes(await connected())).toBeGreaterThan(0)
})

it("closes one whose end is being sent", async () => {
  const socket = await connected()
  socket.end("the last bytes")
  // Its end is given to the system then.
  await new Promise<void>((resolve) => process.nextTick(resolve))
  expect(await closes(socket)).toBeGreaterThan(0)
})
