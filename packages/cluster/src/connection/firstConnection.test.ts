/** The first connection of whoever leaves before it is made, with servers that make it wait. */
import { type AddressInfo, createServer, type Socket } from "node:net"
import { once } from "node:events"
import { Effect, Exit, Fiber, Layer } from "effect"
import { expect, test } from "vitest"
import { NatsConnection } from "./natsConnection.ts"

const firstConnectMs = 600_000

const connecting = (url: string) => Effect.runFork(Effect.scoped(Layer.build(NatsConnection.layer({ servers: [url], firstConnectMs }))))

test("ends at once while nobody answers", async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const fiber = connecting(`nats://127.0.0.1:${(server.address() as AddressInfo).port}`)
  await once(server, "connection")
  // One that could not be interrupted would go on for ten minutes.
  expect(Exit.isInterrupted(await Effect.runPromise(Fiber.interrupt(fiber)))).toBe(true)
  server.close()
})

test("that is made after its end is closed", async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const fiber = connecting(`nats://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const [socket] = (await once(server, "connection")) as [Socket]
  await Effect.runPromise(Fiber.interrupt(fiber))
  const closed = once(socket, "close")
  const said: Array<string> = []
  socket.on("data", (data) => {
    said.push(String(data))
    if (String(data).includes("PING")) socket.write("PONG\r\n")
  })
  const info = { server_id: "a", version: "2.12.0", proto: 1, max_payload: 1_048_576, headers: true }
  socket.write(`INFO ${JSON.stringify(info)}\r\n`)
  await closed
  expect(said.join("")).toContain("CONNECT")
  server.close()
})
