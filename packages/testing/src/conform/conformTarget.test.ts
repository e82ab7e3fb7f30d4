/** What the command says of a service with which nothing can be prepared, over the wire. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, it } from "vitest"
import { makeConformTarget } from "./conformTarget.ts"

const apiKey = "sibyl_local_0123456789ab_secret"

const messageFrom = async (answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> => {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const message = await makeConformTarget({ baseUrl, apiKey, programs: {}, maxCredits: 200_000n, loadShare: 0.1 }, {}).then(
    () => "prepared",
    (cause: unknown) => String(cause).replaceAll(baseUrl, "BASE")
  )
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  return message
}

it("shows a body that repeats the key, without the key", async () => {
  const message = await messageFrom(({ headers }, response) => {
    response.writeHead(500).end(JSON.stringify({ got: headers.authorization, key: headers.authorization?.slice(7) }))
  })
  expect(message).toBe('Error: GET BASE/verify with the key was answered 500 {"got":"Bearer KEY","key":"KEY"}')
})

it("hides a key that the beginning of a body ends in", async () => {
  const message = await messageFrom(({ headers }, response) => {
    response.writeHead(500).end(`${"x".repeat(180)}${headers.authorization?.slice(7)}`)
  })
  expect(message).toBe(`Error: GET BASE/verify with the key was answered 500 ${"x".repeat(180)}KEY…`)
})

it("tells of a redirect, over which a key may have been lost", async () => {
  const message = await messageFrom(({ url }, response) => {
    if (url === "/verify") response.writeHead(302, { location: "/elsewhere" }).end()
    else response.writeHead(401).end("no key")
  })
  expect(message).toBe("Error: GET BASE/verify with the key was answered 401 (redirected to BASE/elsewhere) no key")
})
