/** What a command is told of a connection that is refused by what stands before the server, or over which nothing comes any more. */
import { createHash } from "node:crypto"
import { createServer, type Server } from "node:http"
import { Effect, Redacted } from "effect"
import { afterEach, expect, test, vi } from "vitest"
import { closedText, openFeedSocket } from "./feedSocket.ts"
import { lookMs } from "./silentSocket.ts"

const servers: Array<Server> = []

afterEach(() => {
  vi.useRealTimers()
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

const listening = async (server: Server): Promise<string> => {
  servers.push(server)
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("no port")
  return `ws://127.0.0.1:${address.port}/ws/v1`
}

test.each([
  [426, "a proxy in front of it does not pass the headers Upgrade and Connection on"],
  [502, "a proxy stands there, and has no answer from the server behind it"],
  [504, "a proxy stands there, and has no answer from the server behind it"]
])("an upgrade that a proxy answers with %i", async (status, meaning) => {
  const server = createServer()
  server.on("upgrade", (_request, socket) => {
    socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`)
  })
  const address = await listening(server)
  const failed = await Effect.runPromise(Effect.flip(Effect.scoped(openFeedSocket(address, Redacted.make("key")))))
  expect(failed.message).toBe(`${address} answered ${status}: ${meaning}`)
})

test("a connection over which nothing comes any more has ended", async () => {
  const server = createServer()
  // It opens a connection, and answers nothing, no ping either.
  server.on("upgrade", ({ headers }, socket) => {
    const accept = createHash("sha1").update(`${headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64")
    const lines = ["101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade", `Sec-WebSocket-Accept: ${accept}`]
    socket.on("error", () => socket.destroy()).write(`HTTP/1.1 ${lines.join("\r\n")}\r\n\r\n`)
    socket.resume()
  })
  const address = await listening(server)
  const heard = Effect.gen(function* () {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
    const socket = yield* openFeedSocket(address, Redacted.make("key"))
    vi.advanceTimersByTime(3 * lookMs)
    return yield* socket.next
  })
  const event = await Effect.runPromise(Effect.scoped(heard))
  if (event._tag !== "closed") throw new Error(`heard ${event.text}`)
  expect(closedText(event)).toBe("the connection was closed with 1006: nothing came over it any more, and a ping was not answered")
})
