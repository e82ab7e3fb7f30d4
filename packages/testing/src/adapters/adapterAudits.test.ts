/** The adapter audits themselves: a small correct adapter passes, and each seeded fault fails its audit. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { BodyUnreadable, type ServiceResponse } from "@sibyl/core"
import { describe, expect, it } from "vitest"
import { runAudits } from "../audits/runAudits.ts"
import { adapterAudits } from "./adapterAudits.ts"
import { makeMirrorService } from "./mirrorService.ts"

/** The ways in which this adapter can be wrong; absent parts are correct. */
interface Fault {
  readonly method?: (method: string) => string
  readonly url?: (url: string) => string
  readonly header?: (request: IncomingMessage, name: string) => string | undefined
  readonly answer?: (answer: ServiceResponse) => ServiceResponse
  readonly bodyLength?: (body: string | Uint8Array) => number
  readonly body?: (request: IncomingMessage, maxBytes: number) => Promise<Uint8Array>
  readonly foreign?: (response: ServerResponse) => void
  readonly signals?: false
  readonly upgrades?: "none" | "oursOnly"
  readonly cutAfterMs?: number
}

const prefix = "/under/test"

/**
 * The small adapter below refuses WebSockets and opens none; audits with open ones are tested on a real adapter
 * (`packages/adapter-express/src/socketFaults.test.ts`).
 */
const plainAudits = adapterAudits.filter(({ id }) => !/SOCKET|UPGRADE-00[45]/.test(id))

const readBody = (request: IncomingMessage, maxBytes: number): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const chunks: Array<Uint8Array> = []
    let length = 0
    request.on("data", (chunk: Uint8Array) => {
      length += chunk.length
      if (length <= maxBytes) chunks.push(chunk)
      else reject(new BodyUnreadable("tooLarge", "too large"))
    })
    request.on("end", () => resolve(Buffer.concat(chunks)))
    request.on("close", () => reject(new BodyUnreadable("aborted", "aborted")))
  })

const notFound = (response: ServerResponse): void => void response.writeHead(404).end()

const nodeHeader = (request: IncomingMessage, name: string): string | undefined => request.headers[name.toLowerCase()]?.toString()

const makeServer = (fault: Fault): Server => {
  const service = makeMirrorService()
  const requestOf = (request: IncomingMessage, signal: AbortSignal) => ({
    method: fault.method?.(request.method ?? "") ?? request.method ?? "",
    url: (fault.url ?? ((url: string) => url))((request.url ?? "").slice(prefix.length)),
    header: (name: string) => (fault.header ?? nodeHeader)(request, name),
    body: (maxBytes: number) => (fault.body ?? readBody)(request, maxBytes),
    ...(fault.signals === false ? {} : { signal })
  })
  const carry = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const left = new AbortController()
    response.on("close", () => response.writableFinished || left.abort())
    const ours = request.url?.startsWith(`${prefix}/`) === true
    const answer = ours ? await service.fetch(requestOf(request, left.signal)) : undefined
    if (answer === undefined) return (fault.foreign ?? notFound)(response)
    const { body, headers, status } = fault.answer?.(answer) ?? answer
    const length = (fault.bodyLength ?? ((text: string | Uint8Array) => Buffer.byteLength(text)))(body)
    response.writeHead(status, { ...headers, "content-length": length }).end(body)
  }
  const server = createServer((request, response) => void carry(request, response))
  if (fault.cutAfterMs !== undefined) server.setTimeout(fault.cutAfterMs)
  if (fault.upgrades === "none") return server
  return server.on("upgrade", (request, socket) => {
    socket.on("error", () => socket.destroy())
    void service.upgrade(requestOf(request, new AbortController().signal)).then((answer) => {
      if (answer === undefined && fault.upgrades === "oursOnly") return undefined
      const { body, status } = typeof answer === "object" ? answer : { body: "", status: 404 }
      const head = ["content-type: application/json", `content-length: ${Buffer.byteLength(body)}`, "", body]
      return socket.end([`HTTP/1.1 ${status} No`, ...head].join("\r\n"), () => socket.destroy())
    })
  })
}

/** The audits that fail with a fault, among those named. */
const failuresBehind = async (fault: Fault, ids?: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const server = makeServer(fault)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`
  const audits = plainAudits.filter(({ id }) => ids === undefined || ids.includes(id))
  const report = await runAudits({ baseUrl }, audits)
  server.closeAllConnections()
  server.close()
  return report.entries.filter(({ result }) => result.kind !== "passed").map(({ id }) => id)
}

/** The same answer for all concurrent callers. */
const shared = (): NonNullable<Fault["answer"]> => {
  let first: ServiceResponse | undefined
  return (answer) => (first ??= answer)
}

const faults: ReadonlyArray<readonly [id: string, name: string, fault: Fault]> = [
  ["ADAPTER-REQUEST-001", "every method is GET", { method: () => "GET" }],
  ["ADAPTER-REQUEST-002", "targets are decoded", { url: decodeURIComponent }],
  ["ADAPTER-REQUEST-003", "names of headers as written only", { header: ({ headers }, name) => headers[name]?.toString() }],
  ["ADAPTER-ANSWER-001", "599 becomes 500", { answer: (answer) => ({ ...answer, status: Math.min(answer.status, 503) }) }],
  ["ADAPTER-ANSWER-002", "lengths in characters", { bodyLength: (body) => body.length }],
  ["ADAPTER-ANSWER-003", "foreign paths are swallowed", { foreign: (response) => void response.end("ours") }],
  ["ADAPTER-ANSWER-004", "answers are shared", { answer: shared() }],
  ["ADAPTER-ANSWER-005", "silent connections are cut", { cutAfterMs: 5_000 }],
  [
    "ADAPTER-BODY-001",
    "bodies pass through text",
    { body: async (request, maxBytes) => Buffer.from(Buffer.from(await readBody(request, maxBytes)).toString()) }
  ],
  ["ADAPTER-BODY-002", "the limit itself is refused", { body: (request, maxBytes) => readBody(request, maxBytes - 1) }],
  [
    "ADAPTER-BODY-003",
    "large bodies are read to their end before they are refused",
    {
      body: async (request, maxBytes) => {
        const bytes = await readBody(request, Number.MAX_SAFE_INTEGER)
        if (bytes.length > maxBytes) throw new BodyUnreadable("tooLarge", "too large")
        return bytes
      }
    }
  ],
  [
    "ADAPTER-BODY-004",
    "aborted bodies are waited for",
    { body: (request, maxBytes) => readBody(request, maxBytes).catch(() => new Promise<never>(() => {})) }
  ],
  ["ADAPTER-SIGNAL-001", "leaving clients are not noticed", { signals: false }],
  ["ADAPTER-UPGRADE-001", "upgrades are not offered", { upgrades: "none" }],
  ["ADAPTER-UPGRADE-003", "foreign upgrades stay open", { upgrades: "oursOnly" }]
]

describe.concurrent("the audits", () => {
  it("pass a small correct adapter", async ({ expect }) => {
    expect(await failuresBehind({})).toEqual([])
  })

  it.for(faults)("detect with %s: %s", async ([id, _name, fault], { expect }) => {
    expect(await failuresBehind(fault, [id])).toEqual([id])
  })
})

it("every audit has its fault, except the one whose fault would end this process", () => {
  const found = new Set(faults.map(([id]) => id))
  expect(plainAudits.filter(({ id }) => !found.has(id)).map(({ id }) => id)).toEqual(["ADAPTER-UPGRADE-002"])
})
