/** The whole service over Express and Node's own sockets satisfies every rule of the REST interface. */
import { randomUUID } from "node:crypto"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { foreignPathResponse, HttpFetch } from "@sibyl/core"
import {
  auditedOrigin,
  type MemoryService,
  openMemoryService,
  printReport,
  provisionTarget,
  restAudits,
  runAudits,
  type Target,
  targetGrades
} from "@sibyl/testing"
import { layerProgramRuntime } from "@sibyl/vm"
import { Layer } from "effect"
import express from "express"
import { afterAll, beforeAll, expect, it } from "vitest"
import { sibyl } from "./index.ts"

let memory: MemoryService
let server: Server
let target: Target

beforeAll(async () => {
  memory = await openMemoryService(layerProgramRuntime({ workers: 2 }).pipe(Layer.provide(HttpFetch.layerClosed)), {
    allowedOrigins: [auditedOrigin]
  })
  const app = express().use("/oracle", sibyl(memory.service))
  app.use((_request, response) => {
    const { body, headers, status } = foreignPathResponse(randomUUID())
    response.writeHead(status, headers).end(body)
  })
  // Node itself refuses heads over 16 KiB; the rule for long targets is the service's.
  server = createServer({ maxHeaderSize: 65_536 }, app)
  // By default 5 s, which a busy machine may let pass between two requests: the second one is then sent on a closed connection.
  server.keepAliveTimeout = 120_000
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/oracle`
  target = await provisionTarget(memory, { baseUrl, standAlone: true, allowedOrigin: auditedOrigin })
})

afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  await memory.close()
})

it("passes every REST audit", { timeout: 300_000 }, async () => {
  const report = await runAudits(target, restAudits)
  const text = printReport(report, { onlyFailures: true })
  expect(
    report.entries.filter(({ result }) => result.kind !== "passed").map(({ id }) => id),
    text
  ).toEqual(targetGrades.expressRest.skipped)
  expect(report.entries.length).toBe(restAudits.length)
})
