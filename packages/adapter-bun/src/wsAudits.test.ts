/** The whole service over Bun's own sockets satisfies every rule of the WebSocket interface. */
import { printReport, remoteOperator, runAudits, targetGrades, wsAudits } from "@sibyl/testing"
import { soakCount } from "@sibyl/testing/soak"
import { afterAll, beforeAll, expect, it } from "vitest"
import type { SocketServer } from "./testdata/auditedSocketServer.ts"
import { type Started, startOnBun } from "./testdata/bunProcess.ts"

let server: Started<SocketServer>
beforeAll(async () => {
  server = await startOnBun<SocketServer>("auditedSocketServer")
})
afterAll(() => server.stop())

/** The fraction of the load audits' connections and requests that is made. */
const loadShare = soakCount({ everyday: 10, full: 100 }) / 100

it("passes every WebSocket audit", { timeout: 600_000 }, async () => {
  const { operatorUrl, target } = server.known
  const report = await runAudits({ ...target, loadShare, operator: remoteOperator(operatorUrl) }, wsAudits)
  const text = printReport(report, { onlyFailures: true })
  expect(
    report.entries.filter(({ result }) => result.kind !== "passed").map(({ id }) => id),
    text
  ).toEqual(targetGrades.bunWebSocket.skipped)
  expect(report.entries.length).toBe(wsAudits.length)
})
