/** What `ws` closes by itself has a reason, as what the service closes, and the service is told at once. */
import { createServer } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import type { Service } from "@sibyl/core"
import { dial, makeMirrorService } from "@sibyl/testing"
import { expect, it } from "vitest"
import { attachUpgrades } from "./index.ts"

/** A server of a service, and where it listens. */
const serve = async (service: Service) => {
  const server = createServer()
  attachUpgrades(server, service)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/open` }
}

const continuation = 0
const text = 1

// Under Bun, `ws` is Bun's own, which counts no fragments.
it.skipIf(process.versions["bun"] !== undefined)("a message in too many fragments closes with 1008 and says why", async () => {
  const { server, url } = await serve(makeMirrorService())
  const { client } = await dial({ url })
  const fragment = (opcode: number) => ({ opcode, payload: "x", fin: false })
  client?.send(fragment(text), ...Array.from({ length: 16_384 }, () => fragment(continuation)))
  expect(await client?.ended()).toEqual({ code: 1008, reason: "Received a message in too many pieces" })
  client?.reset()
  await new Promise((resolve) => server.close(resolve))
})

it.skipIf(process.versions["bun"] !== undefined)(
  "a client that has sent its close frame has left, whether or not its connection has ended",
  async () => {
    const left: Array<readonly [code: number, isConnected: boolean]> = []
    const sockets: Array<Socket> = []
    const nothing = (): void => {}
    const { server, url } = await serve({
      ...makeMirrorService(),
      upgrade: () =>
        Promise.resolve(() => ({
          message: nothing,
          pong: nothing,
          drain: nothing,
          closed: (code: number) => void left.push([code, sockets.some(({ destroyed }) => !destroyed)])
        }))
    })
    server.on("connection", (socket) => sockets.push(socket))
    const { client } = await dial({ url })
    // It does not read the answer, so that it does not end the connection.
    client?.pause()
    client?.send({ opcode: 8, payload: Buffer.from([0x03, 0xe8]) })
    await expect.poll(() => left.length).toBeGreaterThan(0)
    expect(left[0]).toEqual([1000, true])
    client?.reset()
    await new Promise((resolve) => server.close(resolve))
  }
)
