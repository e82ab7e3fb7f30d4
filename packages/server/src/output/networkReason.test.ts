/** What is said of a request that had no answer, and what is not. */
import { createServer } from "node:net"
import { once } from "node:events"
import { expect, it } from "vitest"
import { networkReason } from "./networkReason.ts"

const faultOf = (address: string, init: RequestInit = {}): Promise<unknown> =>
  fetch(address, init).then(
    () => undefined,
    (fault: unknown) => fault
  )

it("tells a server that does not speak TLS, and one that does not answer in time, from one that is down", async () => {
  const server = createServer((socket) => {
    // A client may be gone before it has read.
    socket.on("error", () => {})
    socket.on("data", () => socket.end("no TLS"))
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as { readonly port: number }
  const [plain, late] = [
    await faultOf(`https://127.0.0.1:${port}`),
    await faultOf(`http://127.0.0.1:${port}`, { signal: AbortSignal.timeout(0) })
  ]
  await new Promise((resolve) => server.close(resolve))
  const down = await faultOf(`http://127.0.0.1:${port}`)
  const reasons = [plain, late, down].map(networkReason)
  expect(new Set(reasons).size).toBe(3)
  for (const reason of reasons) expect(reason).toMatch(/^: \S.*\S$/)
  // Bun's own words ask for TLS, too; Node's are a line of OpenSSL.
  expect(reasons[0]).toMatch(/speak.* TLS/)
  expect(reasons[1]).toBe(": no answer in time")
})

it("has the code of attempts at several addresses, which have no words", () => {
  const cause = Object.assign(new AggregateError([]), { code: "ECONNREFUSED" })
  expect(networkReason(new TypeError("fetch failed", { cause }))).toBe(": ECONNREFUSED")
})

it("says nothing of a request that cannot be made, which would show its key", async () => {
  const fault = await faultOf("http://127.0.0.1:1", { headers: { authorization: "Bearer the\nkey" } })
  expect(fault).toBeInstanceOf(Error)
  expect(networkReason(fault)).toBe("")
  expect(networkReason("anything")).toBe("")
})
