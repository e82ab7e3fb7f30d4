/** The whole service over Bun's own sockets satisfies every rule of the REST interface. */
import { printReport, restAudits, runAudits, type Target, targetGrades } from "@sibyl/testing"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Started, startOnBun } from "./testdata/bunProcess.ts"

let server: Started<Target>
beforeAll(async () => {
  server = await startOnBun<Target>("auditedServer")
})
afterAll(() => server.stop())

it("passes every REST audit", { timeout: 300_000 }, async () => {
  const report = await runAudits(server.known, restAudits)
  const text = printReport(report, { onlyFailures: true })
  expect(
    report.entries.filter(({ result }) => result.kind !== "passed").map(({ id }) => id),
    text
  ).toEqual(targetGrades.bunRest.skipped)
  expect(report.entries.length).toBe(restAudits.length)
})
