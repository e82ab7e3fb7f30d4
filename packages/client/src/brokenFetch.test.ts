/** Calls without an answer, over real sockets: whether what was asked for may be done is told as far as the runtime knows it. */
import { once } from "node:events"
import { type AddressInfo, createServer, type Server, type Socket } from "node:net"
import { afterEach, expect, test } from "vitest"
import { createClient } from "./createClient.ts"
import type { NotReached } from "./errors/clientError.ts"
import { brokenFetch } from "./rest/brokenFetch.ts"

let server: Server | undefined

afterEach(async () => {
  if (server === undefined) return
  server.close()
  if (server.listening) await once(server, "close")
})

const isDeno = "Deno" in globalThis

/** What a call rejects with; each of its connections is ended as the next of `ends` says, and none is taken after the last. */
const failure = async (...ends: ReadonlyArray<(socket: Socket) => void>): Promise<unknown> => {
  const left = [...ends]
  const own = createServer((socket) => {
    const end = left.shift()
    socket.on("error", () => undefined)
    socket.once("data", () => {
      end?.(socket)
      if (left.length === 0) own.close()
    })
  })
  server = own
  await once(own.listen(0, "127.0.0.1"), "listening")
  const url = `http://127.0.0.1:${(own.address() as AddressInfo).port}`
  if (ends.length === 0) await new Promise((resolve) => own.close(resolve))

  const client = createClient({ url, auth: "sibyl_local_key", retry: { attempts: ends.length > 1 ? ends.length + 1 : 1, firstWaitMs: 10 } })
  return client.execute({ execProgramId: "echo" }).then(
    () => undefined,
    ({ _tag, mayBeDone, message }: NotReached) => ({ _tag, mayBeDone, message: message.replace(url, "URL") })
  )
}

const destroy = (socket: Socket): void => void socket.destroy()

test("where nobody listens, nothing was sent", async () => {
  expect(await failure()).toMatchObject({ _tag: "NotReached", message: "URL cannot be reached", mayBeDone: false })
})

test.each([
  ["without a word", destroy],
  ["in the middle of its head", (socket: Socket) => void socket.end("HTTP/1.1 200 OK\r\nconte")]
])("a connection that ends %s may have brought a run", async (_, end) => {
  const message = isDeno ? expect.stringContaining("ended before it answered") : "URL ended the connection before it answered"
  expect(await failure(end)).toMatchObject({ _tag: "NotReached", message, mayBeDone: true })
})

test("what an earlier attempt may have done is said also where the last one was not sent", async () => {
  expect(await failure(destroy, destroy)).toMatchObject({
    _tag: "NotReached",
    message: "URL cannot be reached; an earlier attempt was sent, and may have been carried out",
    mayBeDone: true
  })
})

/** What runtimes reject with: Node and Deno wrap it, Bun does not. */
const wrapped = (message: string, code?: string): Error =>
  new TypeError("fetch failed", { cause: Object.assign(new Error(message), { code }) })

test.each([
  ["Node", wrapped("certificate has expired", "CERT_HAS_EXPIRED"), "certificate has expired"],
  ["Node", wrapped("self-signed certificate", "DEPTH_ZERO_SELF_SIGNED_CERT"), "self-signed certificate"],
  ["Node", wrapped("unable to verify the first certificate", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"), "unable to verify the first certificate"],
  ["Node", wrapped("Host: one. is not cert's CN", "ERR_TLS_CERT_ALTNAME_INVALID"), "Host: one. is not cert's CN"],
  [
    "Bun",
    Object.assign(new Error("self signed certificate in chain"), { code: "SELF_SIGNED_CERT_IN_CHAIN" }),
    "self signed certificate in chain"
  ],
  ["Deno", wrapped("error sending request: client error (Connect): invalid peer certificate: UnknownIssuer"), "UnknownIssuer"]
])("a certificate that is not trusted is named as the cause, and nothing was sent: %s", (_runtime, error, words) => {
  const message = `the certificate of https://one is not trusted: ${words}`
  expect(brokenFetch("https://one", error)).toMatchObject({ _tag: "NotReached", message, mayBeDone: false, cause: error })
})

test("a page is told what else its browser may mean, where it asks another origin", () => {
  const said = (pageOrigin: string) => brokenFetch("http://one/api", new TypeError("Failed to fetch"), pageOrigin).message
  expect(said("http://one")).toBe("http://one/api cannot be reached, or the connection ended before it answered")
  expect(said("http://two")).toMatch(
    /, or its allowedOrigins do not list the origin of this page, http:\/\/two, or the browser does not let the page reach the service's network$/
  )
})
