/** A body that Node's parser refuses is answered at once, by whoever reads it, and after the answers before it. */
import { once } from "node:events"
import { createServer } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { BodyUnreadable, type Service } from "@sibyl/core"
import { setImmediate } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { answerMalformed } from "./answerMalformed.ts"
import { nodeListener } from "./nodeListener.ts"

/** Reads each body some turns late, and answers 200, or 400 with why it cannot be read. */
const service: Service = {
  fetch: async (request) => {
    for (let turn = 0; turn < 5; turn += 1) await setImmediate()
    return request.body(1_000).then(
      (bytes) => ({ status: 200, headers: {}, body: `${bytes.length} bytes` }),
      (error: unknown) => ({ status: 400, headers: {}, body: error instanceof BodyUnreadable ? error.reason : "another error" })
    )
  },
  upgrade: () => Promise.resolve(undefined),
  maxMessageBytes: 1_000,
  dispose: () => Promise.resolve()
}

/** What a server answers to these bytes until it closes the connection. */
const answersTo = async (text: string): Promise<string> => {
  const server = createServer(nodeListener(service)).on("clientError", answerMalformed)
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1", () => socket.write(text))
  let heard = ""
  socket.setEncoding("latin1").on("data", (chunk: string) => (heard += chunk))
  await once(socket, "close")
  server.close()
  return heard
}

const statusesIn = (heard: string): ReadonlyArray<string> => [...heard.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status = ""]) => status)

const chunked = "POST /a HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n"
const whole = "POST /a HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\n{}"

// Bun has a parser of its own.
describe.skipIf(typeof globalThis.Bun !== "undefined")("a chunked body that is malformed", () => {
  it.each([
    ["in its first chunk", `${chunked}ZZ\r\n`],
    ["in a later one", `${chunked}2\r\n{}XX\r\n0\r\n\r\n`],
    ["in its trailer", `${chunked}2\r\n{}\r\n0\r\nbad trailer\r\n\r\n`]
  ])("%s is answered once", async (_, text) => {
    const heard = await answersTo(text)
    expect(statusesIn(heard)).toEqual(["400"])
    expect(heard).toContain("aborted")
  })

  it("is answered after the request before it", async () => {
    expect(statusesIn(await answersTo(`${whole}${chunked}ZZ\r\n`))).toEqual(["200", "400"])
  })

  it("and what is no request is answered after the request before it", async () => {
    const heard = await answersTo(`${whole}FOO / HTTP/1.1\r\n\r\n`)
    expect(statusesIn(heard)).toEqual(["200", "400"])
    expect(heard).toContain("no method of HTTP/1.1")
  })
})
