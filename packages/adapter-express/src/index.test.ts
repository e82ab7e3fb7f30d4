/** The Express adapter: every audit, and what is specific to Express: `next()`, body parsers, other middleware. */
import { createServer, get, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import type { Service } from "@sibyl/core"
import { adapterAudits, makeMirrorService, printReport, runAudits } from "@sibyl/testing"
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from "express"
import { afterEach, describe, expect, it } from "vitest"
import { attachUpgrades, sibyl } from "./index.ts"

const open: Array<Server> = []

/** Opens a server on a free port of this machine; returns its address. */
const listenOn = async (server: Server): Promise<string> => {
  open.push(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Serves an app, and with a service its upgrades. */
const listen = (app: Express, service?: Service): Promise<string> => {
  const server = createServer(app)
  if (service !== undefined) attachUpgrades(server, service, { prefix: "/oracle" })
  return listenOn(server)
}

const mounted = (): Express => express().use("/oracle", sibyl(makeMirrorService()))

afterEach(async () => {
  for (const server of open.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

const post = async (address: string, contentType: string, body: string): Promise<readonly [number, unknown]> => {
  const init = { method: "POST", headers: { "content-type": contentType }, body }
  const response = await fetch(`${address}/oracle/body?max=1000`, { ...init, signal: AbortSignal.timeout(10_000) })
  return [response.status, await response.json()]
}

/** Requests another protocol; returns the status of the HTTP response. */
const statusOfUpgrade = (address: string, path: string, upgrade = "websocket"): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const headers = { connection: "Upgrade", upgrade }
    const asked = get(`${address}${path}`, { agent: false, headers, signal: AbortSignal.timeout(10_000) })
    asked.once("response", (response) => resolve(response.resume().statusCode)).once("error", reject)
  })

const bytesOf = (text: string): { readonly bytes: string } => ({ bytes: Buffer.from(text).toString("base64") })

// Under Bun, `node:http` and `ws` are Bun's own versions: the one cannot continue a connection that offered HTTP/2, the other emits no
// drain (the service also checks the buffered amount itself).
const beyondTheRuntime = process.versions["bun"] === undefined ? [] : ["ADAPTER-UPGRADE-004", "ADAPTER-SOCKET-004"]

it("passes every adapter audit under a prefix", async () => {
  const service = makeMirrorService()
  const address = await listen(express().use("/oracle", sibyl(service)), service)
  const report = await runAudits({ baseUrl: `${address}/oracle` }, adapterAudits)
  const unkept = report.entries.filter(({ result }) => result.kind !== "passed").map(({ id }) => id)
  expect(unkept, printReport(report)).toEqual(beyondTheRuntime)
  expect(report.entries.length).toBe(adapterAudits.length)
})

describe("in an app with other routes", () => {
  it("leaves other paths to the app's own routes, before and after it", async () => {
    const app = express()
    app.get("/oracle/before", (_request, response) => void response.send("before"))
    app.use("/oracle", sibyl(makeMirrorService()))
    app.get("/oracle/behind", (_request, response) => void response.send("behind"))
    const address = await listen(app)
    const texts = ["before", "behind"].map(async (path) => (await fetch(`${address}/oracle/${path}`)).text())
    expect(await Promise.all(texts)).toEqual(["before", "behind"])
  })

  it("works at the root and twice in one app", async () => {
    const app = express().use("/one", sibyl(makeMirrorService())).use(sibyl(makeMirrorService()))
    const address = await listen(app)
    const urls = ["/one/mirror?a=1", "/mirror?a=1"].map(async (path) => {
      const seen = (await (await fetch(`${address}${path}`)).json()) as { readonly url: string }
      return seen.url
    })
    expect(await Promise.all(urls)).toEqual(["/mirror?a=1", "/mirror?a=1"])
  })

  it("keeps headers set by other middleware", async () => {
    const app = express().use((_request, response, next) => {
      response.setHeader("access-control-allow-origin", "*")
      next()
    })
    const address = await listen(app.use("/oracle", sibyl(makeMirrorService())))
    const { headers } = await fetch(`${address}/oracle/mirror`)
    expect([headers.get("access-control-allow-origin"), headers.get("x-mirror")]).toEqual(["*", "service"])
  })

  it("does nothing if the app has already answered, for example because of its own time limit", async () => {
    const app = express().use((_request, response, next) => {
      next()
      response.status(503).send("too slow")
    })
    const address = await listen(app.use("/oracle", sibyl(makeMirrorService())))
    const response = await fetch(`${address}/oracle/wait?ms=50`)
    expect([response.status, await response.text()]).toEqual([503, "too slow"])
    expect((await fetch(`${address}/oracle/wait?ms=50`)).status).toBe(503)
  })

  it("answers a request with an unknown expectation, if the server hands it to the app", async () => {
    const app = mounted()
    const server = createServer(app)
    server.on("checkExpectation", app)
    const address = await listenOn(server)
    const status = await new Promise((resolve, reject) => {
      const asked = get(`${address}/oracle/mirror`, { headers: { expect: "200-ok" } })
      asked.once("response", (response) => resolve(response.resume().statusCode)).once("error", reject)
    })
    expect(status).toBe(200)
  })

  it("passes a defect of the service to the app's error handler", async () => {
    const broken: Service = { ...makeMirrorService(), fetch: () => Promise.reject(new Error("a defect")) }
    const app = express().use("/oracle", sibyl(broken))
    app.use(((error: Error, _request, response, _next) => void response.status(500).send(error.message)) as ErrorRequestHandler)
    const response = await fetch(`${await listen(app)}/oracle/mirror`)
    expect([response.status, await response.text()]).toEqual([500, "a defect"])
  })
})

describe("after a body parser", () => {
  const json = "application/json"

  it("accepts JSON parsed by express.json(), with keys in order and without white space", async () => {
    const address = await listen(express().use(express.json()).use(mounted()))
    const sent = '{ "b": [1, 2.50], "a": { "text": "\u20ac" } }'
    expect(await post(address, json, sent)).toEqual([200, bytesOf('{"b":[1,2.5],"a":{"text":"\u20ac"}}')])
  })

  it("refuses JSON whose large numbers express.json() may have rounded, to infinity too", async () => {
    const address = await listen(express().use(express.json()).use(mounted()))
    for (const body of ['{"a":[{"n":9007199254740993}]}', '{"a":[1e400]}', '{"n":-1e999}']) {
      expect(await post(address, json, body), body).toEqual([400, { reason: "alreadyRead" }])
    }
    const exact = await post(address, json, '{"n":9007199254740991,"f":0.1}')
    expect(exact).toEqual([200, bytesOf('{"n":9007199254740991,"f":0.1}')])
  })

  it("reads what express.json() did not", async () => {
    const address = await listen(express().use(express.json()).use(mounted()))
    expect(await post(address, "text/plain", "plain")).toEqual([200, bytesOf("plain")])
  })

  it("accepts the text of express.text() and the bytes of express.raw()", async () => {
    const text = await listen(
      express()
        .use(express.text({ type: "*/*" }))
        .use(mounted())
    )
    const raw = await listen(
      express()
        .use(express.raw({ type: "*/*" }))
        .use(mounted())
    )
    expect(await post(text, json, '{"a": 1}')).toEqual([200, bytesOf('{"a": 1}')])
    expect(await post(raw, json, '{"a": 1}')).toEqual([200, bytesOf('{"a": 1}')])
  })

  it("refuses a body read by a parser of another format", async () => {
    const address = await listen(express().use(express.urlencoded()).use(mounted()))
    expect(await post(address, "application/x-www-form-urlencoded", "a=1")).toEqual([400, { reason: "alreadyRead" }])
  })

  it("refuses a body that was read and dropped, without waiting for it", async () => {
    const drop: RequestHandler = (request, _response, next) => void request.resume().once("end", () => next())
    const address = await listen(express().use(drop).use(mounted()))
    expect(await post(address, json, "{}")).toEqual([400, { reason: "alreadyRead" }])
  })

  it("limits bodies read by a parser too", async () => {
    const address = await listen(express().use(express.json()).use(mounted()))
    expect(await post(address, json, JSON.stringify({ text: "x".repeat(1000) }))).toEqual([413, { reason: "tooLarge" }])
  })
})

it("refuses what is no server, and options that would be ignored", () => {
  const service = makeMirrorService()
  const refused = (option: string) => expect.objectContaining({ _tag: "InvalidOption", option })
  for (const other of [undefined, {}, express()]) expect(() => attachUpgrades(other as Server, service)).toThrow(refused("server"))
  expect(() => attachUpgrades(createServer(), service, "/oracle" as unknown as object)).toThrow(refused("options"))
  expect(() => attachUpgrades(createServer(), service, { path: "/oracle" } as object)).toThrow(refused("path"))
})

describe("next to another WebSocket server", () => {
  /** Serves the service, with a listener of upgrades that answers at `/chat` only. */
  const besideChat = (): Promise<string> => {
    const server = createServer(mounted())
    attachUpgrades(server, makeMirrorService(), { prefix: "/oracle" })
    server.on("upgrade", (request, socket) => {
      if (request.url !== "/chat") return
      socket.once("finish", () => socket.destroy()).end("HTTP/1.1 426 Other\r\ncontent-length: 0\r\n\r\n")
    })
    return listenOn(server)
  }

  it("leaves the other server's paths alone and refuses its own", async () => {
    const address = await besideChat()
    expect(await statusOfUpgrade(address, "/chat")).toBe(426)
    expect(await statusOfUpgrade(address, "/oracle/refused")).toBe(401)
    // The service would open it, but the handshake has no key.
    expect(await statusOfUpgrade(address, "/oracle/open")).toBe(400)
  })

  it("answers at every path below its prefix, where the other listener leaves the connection open", async () => {
    const address = await besideChat()
    expect(await statusOfUpgrade(address, "/oracle/nothing")).toBe(404)
  })

  it.skipIf(process.versions["bun"] !== undefined)(
    "answers over HTTP/1.1 who offers HTTP/2 below its prefix (Java does by default)",
    async () => {
      const address = await besideChat()
      expect(await statusOfUpgrade(address, "/oracle/mirror", "h2c")).toBe(200)
    }
  )
})
