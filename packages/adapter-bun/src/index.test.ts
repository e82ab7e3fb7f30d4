/** The Bun adapter on the real runtime: in this process under Bun, in a process of its own under Node. */
import { spawn } from "node:child_process"
import { get } from "node:http"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import { adapterAudits, printReport, runAudits } from "@sibyl/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { MirrorServers } from "./testdata/mirrorServers.ts"

interface Started {
  readonly addresses: MirrorServers
  readonly stop: () => Promise<void>
}

const startInBun = (): Promise<Started> =>
  new Promise((resolve, reject) => {
    const bun = createRequire(import.meta.url).resolve("bun/bin/bun.exe")
    const script = fileURLToPath(new URL("./testdata/mirrorServers.ts", import.meta.url))
    const child = spawn(bun, ["--conditions=@sibyl/source", script], { stdio: ["pipe", "pipe", "inherit"] })
    const ended = new Promise<void>((done) => child.once("exit", () => done()))
    child.once("error", reject).once("exit", (code) => reject(new Error(`the server ended early, exit code ${code}`)))
    let printed = ""
    child.stdout.on("data", (bytes: Buffer) => {
      printed += bytes.toString()
      if (!printed.endsWith("\n")) return
      const stop = (): Promise<void> => {
        child.stdin.end()
        return ended
      }
      resolve({ addresses: JSON.parse(printed) as MirrorServers, stop })
    })
  })

const start = async (): Promise<Started> => {
  if (process.versions["bun"] === undefined) return startInBun()
  const { startMirrorServers } = await import("./testdata/mirrorServers.ts")
  return startMirrorServers()
}

let servers: Started
beforeAll(async () => {
  servers = await start()
})
afterAll(() => servers.stop())

it("passes every adapter audit under a prefix", async () => {
  const report = await runAudits({ baseUrl: `${servers.addresses.alone}/oracle` }, adapterAudits)
  expect(
    report.entries.filter(({ result }) => result.kind !== "passed"),
    printReport(report)
  ).toEqual([])
  expect(report.entries.length).toBe(adapterAudits.length)
})

describe("paths that are none of the service's", () => {
  it("are 404 NotFound in the form of every other error", async () => {
    const response = await fetch(`${servers.addresses.alone}/elsewhere`)
    const requestId = response.headers.get("x-request-id")
    expect(requestId).toMatch(/^[0-9a-f-]{36}$/)
    expect(response.status).toBe(404)
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8")
    const text = "There is nothing at this path."
    expect(await response.text()).toBe(JSON.stringify({ _tag: "NotFound", error: text, message: text, requestId }))
  })

  it("go to the fallback where there is one", async () => {
    const { withFallback } = servers.addresses
    expect(await (await fetch(`${withFallback}/elsewhere?a=1`)).text()).toBe("fallback /elsewhere")
    expect((await fetch(`${withFallback}/mirror`)).headers.get("x-mirror")).toBe("service")
  })

  it("are the server's own under fetchHandler", async () => {
    const { ownServer } = servers.addresses
    expect((await fetch(`${ownServer}/elsewhere`)).status).toBe(418)
    expect((await fetch(`${ownServer}/oracle/nothing`)).status).toBe(418)
    expect((await fetch(`${ownServer}/oracle/mirror`)).headers.get("x-mirror")).toBe("service")
  })
})

it("does not open a WebSocket it cannot carry", async () => {
  const headers = { upgrade: "websocket", connection: "Upgrade" }
  const status = await new Promise((resolve, reject) => {
    const asked = get(`${servers.addresses.withFallback}/open`, { agent: false, headers })
    asked.once("response", (response) => resolve(response.resume().statusCode)).once("error", reject)
  })
  expect(status).toBe(501)
})
