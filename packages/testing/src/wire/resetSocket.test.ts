/** Connections that are dropped, while they are open and while they are being ended. */
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { afterEach, expect, it } from "vitest"
import { resetSocket } from "./resetSocket.ts"

const server = createServer({ allowHalfOpen: true, pauseOnConnect: true })
let taken: Socket | undefined

afterEach(() => {
  taken?.destroy()
  server.close()
})

const connected = async (): Promise<Socket> => {
  if (!server.listening) await once(server.listen(0, "127.0.0.1"), "listening")
  const accepted = once(server, "connection")
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1")
  const [[other]] = await Promise.all([accepted, once(socket, "connect")])
  taken = other as Socket
  return socket
}

/** Whether the other side can send no more: the system takes bytes for as long as a connection is open, ended or not. */
const refusesBytes = async (other: Socket): Promise<boolean> => {
  const refused = new Promise<boolean>((resolve) => other.once("error", () => resolve(true)))
  const writing = setInterval(() => other.write("more"), 20)
  const inTime = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 2000))
  return Promise.race([refused, inTime]).finally(() => clearInterval(writing))
}

it("closes an open connection", async () => {
  resetSocket(await connected())
  expect(await refusesBytes(taken!)).toBe(true)
})

it("closes one whose end is being sent", async () => {
  const socket = await connected()
  socket.end("the last bytes")
  // Its end is given to the system then.
  await new Promise<void>((resolve) => process.nextTick(resolve))
  resetSocket(socket)
  expect(await refusesBytes(taken!)).toBe(true)
})
