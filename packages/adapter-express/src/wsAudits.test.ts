/** The whole service over Express keeps every rule of the WebSocket interface. */
import { printReport, runAudits, wsAudits } from "@sibyl/testing"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type AuditedServer, startAuditedServer } from "./testdata/auditedSocketServer.ts"

let server: AuditedServer
beforeAll(async () => {
  server = await startAuditedServer()
})
afterAll(() => server.stop())

it("passes every WebSocket audit", { timeout: 600_000 }, async () => {
  const report = await runAudits(server.target, wsAudits)
  const text = printReport(report, { onlyFailures: true })
  expect(
    report.entries.filter(({ result }) => result.kind !== "passed"),
    text
  ).toEqual([])
  expect(report.entries.length).toBe(wsAudits.length)
})
