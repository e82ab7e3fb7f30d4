/** The whole service over Express keeps every rule of the WebSocket interface. */
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { HttpFetch } from "@sibyl/core"
import { type MemoryService, openMemoryService, operatorOf, printReport, provisionTarget, runAudits, wsAudits, type WsTarget } from "@sibyl/testing"
import { layerProgramRuntime } from "@sibyl/vm"
import { Layer } from "effect"
import express from "express"
import { afterAll, beforeAll, expect, it } from "vitest"
import { attachUpgrades, sibyl } from "./index.ts"

/** Short, so that the audits of silent clients do not take a minute. */
const pingIntervalMs = 3_000

let memory: MemoryService
let server: Server
let target: WsTarget

beforeAll(async () => {
  const machine = layerProgramRuntime({ workers: 2 }).pipe(Layer.provide(HttpFetch.closed))
  memory = await openMemoryService(machine, { limits: { pingIntervalMs } })
  server = createServer(express().use("/oracle", sibyl(memory.service)))
  attachUpgrades(server, memory.service, { prefix: "/oracle" })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/oracle`
  target = { ...(await provisionTarget(memory, { baseUrl })), operator: operatorOf(memory), pingIntervalMs }
})

afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  await memory.close()
})

it("passes every WebSocket audit", { timeout: 600_000 }, async () => {
  const report = await runAudits(target, wsAudits)
  const text = printReport(report, { onlyFailures: true })
  expect(
    report.entries.filter(({ result }) => result.kind !== "passed"),
    text
  ).toEqual([])
  expect(report.entries.length).toBe(wsAudits.length)
})
