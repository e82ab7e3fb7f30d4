/** The whole service over Express satisfies every rule of the WebSocket interface. */
import { printReport, runAudits, targetGrades, wsAudits } from "@sibyl/testing"
import { soakCount } from "@sibyl/testing/soak"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type AuditedServer, startAuditedServer } from "./testdata/auditedSocketServer.ts"

let server: AuditedServer
beforeAll(async () => {
  server = await startAuditedServer()
})
afterAll(() => server.stop())

/** The fraction of the load audits' connections and requests that is made. */
const loadShare = soakCount({ everyday: 10, full: 100 }) / 100

it("passes every WebSocket audit", { timeout: 600_000 }, async () => {
  const report = await runAudits({ ...server.target, loadShare }, wsAudits)
  const text = printReport(report, { onlyFailures: true })
  expect(
    report.entries.filter(({ result }) => result.kind !== "passed").map(({ id }) => id),
    text
  ).toEqual(targetGrades.expressWebSocket.skipped)
  expect(report.entries.length).toBe(wsAudits.length)
})
