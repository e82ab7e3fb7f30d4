/** The Bun adapter on the real runtime: in this process under Bun, in its own process under Node. */
import { get } from "node:http"
import { adapterAudits, dial, printReport, runAudits } from "@sibyl/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Started, startOnBun } from "./testdata/bunProcess.ts"
import type { MirrorServers } from "./testdata/mirrorServers.ts"

let server: Started<MirrorServers>
beforeAll(async () => {
  server = await startOnBun<MirrorServers>("mirrorServers")
})
afterAll(() => server.stop())

it.each<"alone" | "besideOwnSockets">(["alone", "besideOwnSockets"])("passes every adapter audit under a prefix, %s", async (kind) => {
  const report = await runAudits({ baseUrl: `${server.known[kind]}/oracle` }, adapterAudits)
  expect(
    report.entries.filter(({ result }) => result.kind !== "passed"),
    printReport(report)
  ).toEqual([])
  expect(report.entries.length).toBe(adapterAudits.length)
})

it("leaves WebSockets of the server's own to it", async () => {
  const { client } = await dial({ url: `${server.known.besideOwnSockets.replace("http", "ws")}/chat` })
  client?.sendText("hello")
  await client?.until(() => client.messages[1])
  expect(client?.messages.map(({ text }) => text)).toEqual(["welcome to lobby", "hello"])
  client?.reset()
})

it("listens on loopback by default", () => {
  expect(server.known.usualHost).toBe("127.0.0.1")
})

it("refuses options that would be ignored, and none where one is needed", () => {
  expect(server.known.refused).toEqual(["host", "port", "service"])
})

describe("unknown paths", () => {
  it.each<["alone" | "spread", string]>([
    ["alone", "/elsewhere"],
    ["spread", "/elsewhere"],
    ["spread", "/oracle/nothing"]
  ])("are 404 NotFound in the usual form of errors, %s, %s", async (kind, path) => {
    const response = await fetch(`${server.known[kind]}${path}`)
    const requestId = response.headers.get("x-request-id")
    expect(requestId).toMatch(/^[0-9a-f-]{36}$/)
    expect(response.status).toBe(404)
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8")
    const text = "there is nothing at this path"
    expect(await response.text()).toBe(JSON.stringify({ _tag: "NotFound", error: text, message: text, requestId }))
  })

  it("leave the routes of a server to it", async () => {
    expect(await (await fetch(`${server.known.spread}/own`)).text()).toBe("own")
    expect((await fetch(`${server.known.spread}/oracle/mirror`)).headers.get("x-mirror")).toBe("service")
  })

  it("go to the fallback, if there is one", async () => {
    const { withFallback } = server.known
    expect(await (await fetch(`${withFallback}/elsewhere?a=1`)).text()).toBe("fallback /elsewhere")
    expect((await fetch(`${withFallback}/mirror`)).headers.get("x-mirror")).toBe("service")
  })

  it("are left to the server with fetchHandler", async () => {
    const { ownServer } = server.known
    expect((await fetch(`${ownServer}/elsewhere`)).status).toBe(418)
    expect((await fetch(`${ownServer}/oracle/nothing`)).status).toBe(418)
    expect((await fetch(`${ownServer}/oracle/mirror`)).headers.get("x-mirror")).toBe("service")
  })
})

it("does not open a WebSocket whose handshake has no key", async () => {
  const headers = { upgrade: "websocket", connection: "Upgrade" }
  const status = await new Promise((resolve, reject) => {
    const asked = get(`${server.known.withFallback}/open`, { agent: false, headers })
    asked.once("response", (response) => resolve(response.resume().statusCode)).once("error", reject)
  })
  expect(status).toBe(400)
})
