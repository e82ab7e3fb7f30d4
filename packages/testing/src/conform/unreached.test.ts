/** What is said of a service that gives no response: what is wrong, and what to do. */
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, it } from "vitest"
import { remainingOf } from "./creditBudget.ts"
import { unreached } from "./unreached.ts"

/** The message, with the server's own host and port as `HERE`. */
const saidOf = async (scheme: "http" | "https", answer: RequestListener): Promise<string> => {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const here = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const said = await remainingOf({ baseUrl: `${scheme}://${here}`, apiKey: "key" }).then(String, (cause: Error) => cause.message)
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  return said.replaceAll(here, "HERE")
}

it("names TLS where the port has none", async () => {
  expect(await saidOf("https", (_, response) => response.end())).toBe(
    "https://HERE/verify cannot be reached: it does not answer with TLS; without it, the address begins with http://"
  )
})

it("names TLS where the connection is ended without a response", async () => {
  expect(await saidOf("http", ({ socket }) => socket.destroy())).toMatch(
    /^http:\/\/HERE\/verify cannot be reached: it ended the connection \(.+\); with TLS, the address begins with https:\/\/$/
  )
})

it("names the address that redirects to one that is not there", async () => {
  // Nobody listens on the port of the discard protocol.
  const location = "http://localhost:9/verify"
  expect(await saidOf("http", (_, response) => response.writeHead(302, { location }).end())).toMatch(
    /^http:\/\/HERE\/verify redirects to http:\/\/localhost:9\/verify, which cannot be reached: \S/
  )
})

const coded = (code: string, message: string): Error => Object.assign(new Error(message), { code })

it.each([
  [
    "self-signed, on Node",
    new TypeError("fetch failed", { cause: coded("DEPTH_ZERO_SELF_SIGNED_CERT", "self-signed certificate") }),
    "(self-signed certificate): NODE_EXTRA_CA_CERTS=FILE adds the authority that issued it, or the certificate itself"
  ],
  ["expired, on Bun", coded("CERT_HAS_EXPIRED", "certificate has expired"), "(certificate has expired): it has to be renewed"],
  [
    "of another name",
    new TypeError("fetch failed", { cause: coded("ERR_TLS_CERT_ALTNAME_INVALID", "Hostname/IP does not match") }),
    "(Hostname/IP does not match): --base-url must have a name that it is for"
  ]
])("says what to do about a certificate that is %s", async (_, thrown, told) => {
  const address = "https://127.0.0.1:9"
  await expect(unreached(address)(thrown)).rejects.toThrow(`${address} cannot be reached: its certificate is not trusted ${told}`)
})
