/** Node and Bun give the same answers, also to rare requests; and neither waits for ever for a request. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type RuntimeName, StartedServer } from "../../testdata/startedServer.ts"
import { exchange, trickle } from "./testdata/exchange.ts"

const runtimes: ReadonlyArray<RuntimeName> = ["node", "bun"]
const bodyMs = 1_000

interface Open {
  readonly folder: string
  readonly server: StartedServer
  readonly port: number
  readonly authorization: string
}

const open = async (runtime: RuntimeName): Promise<Open> => {
  const folder = await mkdtemp(join(tmpdir(), "sibyl-same-"))
  await writeFile(join(folder, "sibyl.json"), JSON.stringify({ limits: { bodyMs } }))
  const server = new StartedServer(runtime, ["serve", "--demo", "--port", "0"], folder)
  await server.until(/Ctrl-C stops the server/)
  const [url = ""] = await server.until(/http:\/\/127\.0\.0\.1:[0-9]+/)
  const [authorization = ""] = await server.until(/Authorization: Bearer [^"' ]+/)
  return { folder, server, port: Number(new URL(url).port), authorization }
}

let servers: ReadonlyArray<Open>
beforeAll(async () => {
  servers = await Promise.all(runtimes.map(open))
})
afterAll(async () => {
  for (const { folder, server } of servers) {
    await server.stop("SIGKILL")
    await rm(folder, { recursive: true, force: true })
  }
})

const lines = (...all: ReadonlyArray<string>): string => [...all, "", ""].join("\r\n")

const hand = ["connection: Upgrade", "upgrade: websocket", "sec-websocket-version: 13", "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ=="]

/** By name: the request, and its expected status. `KEY` stands for the header line of a valid key. */
const requests: ReadonlyArray<readonly [name: string, status: number, text: string]> = [
  ["an absolute target", 200, lines("GET http://elsewhere:1/info HTTP/1.1", "host: x")],
  ["an absolute target without a path", 302, lines("GET http://elsewhere HTTP/1.1", "host: x")],
  ["a target with a fragment", 200, lines("GET /info#here HTTP/1.1", "host: x")],
  ["a target that is too long", 414, lines(`GET /info?${"a".repeat(20_000)} HTTP/1.1`, "host: x")],
  ["two keys", 401, lines("GET /verify HTTP/1.1", "host: x", "KEY", "KEY")],
  ["two hosts", 400, lines("GET /info HTTP/1.1", "host: x", "host: y")],
  ["the same host twice", 400, lines("GET /info HTTP/1.1", "host: x", "host: x")],
  [
    "two content types",
    415,
    lines("POST /execute HTTP/1.1", "host: x", "KEY", "content-type: application/json", "content-type: text/plain", "content-length: 0")
  ],
  ["an unknown expectation", 200, lines("GET /info HTTP/1.1", "host: x", "expect: miracles")],
  ["an empty host", 200, lines("GET /info HTTP/1.1", "host:")],
  ["a WebSocket by an absolute target", 101, lines("GET http://elsewhere/ws/v1 HTTP/1.1", "host: x", ...hand, "KEY")],
  ["a WebSocket with two keys", 401, lines("GET /ws/v1 HTTP/1.1", "host: x", ...hand, "KEY", "KEY")],
  ["a WebSocket with two hosts", 400, lines("GET /ws/v1 HTTP/1.1", "host: x", "host: y", ...hand, "KEY")]
]

/** Without the parts that differ in every answer. */
const lasting = (body: string): string => body.replace(/"requestId":"[^"]*"/, "")

test.each(requests)("%s is %i on both", async (name, status, text) => {
  const answers = servers.map(({ authorization, port }) => exchange(port, text.replaceAll("KEY", authorization)))
  const [node, bun] = await Promise.all(answers)
  expect([node?.status, bun?.status], name).toEqual([status, status])
  // There is no body after a switch of protocols; signed values differ, because each server has its own key.
  if (status === 101 || status === 200) return
  expect(lasting(bun?.body ?? "")).toBe(lasting(node?.body ?? "nothing"))
})

test("a request that names no host is 400, on Node in the usual form; HTTP/1.0 needs none", async () => {
  const [node, bun] = await Promise.all(servers.map(({ port }) => exchange(port, lines("GET /info HTTP/1.1"))))
  expect([node?.status, bun?.status]).toEqual([400, 400])
  const { _tag, message, requestId } = JSON.parse(node?.body ?? "")
  expect({ _tag, message }).toEqual({ _tag: "InvalidRequest", message: "the Host header is missing" })
  expect(node?.headers).toContain(`x-request-id: ${requestId}`)
  for (const { port } of servers) expect((await exchange(port, lines("GET /info HTTP/1.0"))).status).toBe(200)
})

test("no subprotocol is selected", async () => {
  const text = lines("GET /ws/v1 HTTP/1.1", "host: x", ...hand, "sec-websocket-protocol: chat, superchat", "KEY")
  for (const { authorization, port } of servers) {
    const { headers, status } = await exchange(port, text.replace("KEY", authorization))
    expect([status, headers.includes("sec-websocket-protocol")]).toEqual([101, false])
  }
})

test("Node reports what is wrong with a malformed head, and closes", async () => {
  const [node] = servers
  const tooLarge = await exchange(node?.port ?? 0, lines("GET /info HTTP/1.1", "host: x", `x: ${"a".repeat(70_000)}`))
  expect([tooLarge.status, JSON.parse(tooLarge.body)]).toMatchObject([431, { _tag: "HeadTooLarge" }])
  const garbage = await exchange(node?.port ?? 0, lines("GARBAGE"))
  expect([garbage.status, JSON.parse(garbage.body)]).toMatchObject([400, { _tag: "InvalidRequest" }])
})

describe("a request that is never completed", () => {
  // A hundred times the stated bound.
  const patienceMs = 100_000
  const post = ["POST /execute HTTP/1.1", "host: x", "KEY", "content-type: application/json"]

  test.each([
    ["its body", lines(...post, "content-length: 100000"), "a"],
    ["its chunks", lines(...post, "transfer-encoding: chunked"), "1\r\na\r\n"]
  ])("with %s a byte at a time is 408 and cut", { timeout: 2 * patienceMs }, async (_name, head, drop) => {
    const tries = servers.map(({ authorization, port }) => trickle(port, head.replace("KEY", authorization), drop, patienceMs))
    for (const { body, isClosed, status } of await Promise.all(tries)) {
      expect([status, isClosed]).toEqual([408, true])
      expect(body).toContain("RequestTimeout")
    }
  })

  test("is cut off, in its head or in an unread body", { timeout: 400_000 }, async () => {
    const head = "GET /info HTTP/1.1\r\nhost: x\r\na: "
    const unread = lines("POST /nothing HTTP/1.1", "host: x", "content-length: 100000")
    const tries = servers.flatMap(({ port }) => [head, unread].map((text) => trickle(port, text, "a", 300_000)))
    expect((await Promise.all(tries)).map(({ isClosed }) => isClosed)).toEqual([true, true, true, true])
  })
})
