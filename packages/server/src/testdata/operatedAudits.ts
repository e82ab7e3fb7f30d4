/** For tests: the audits against a server of several processes. */
import { operatorOf, printReport, provisionTarget, restAudits, runAudits, wsAudits } from "@sibyl/testing"
import { soakCount } from "@sibyl/testing/soak"
import { expect } from "vitest"
import type { OperatedServer } from "./operatedServer.ts"

/** Short, so that the audits of silent clients do not take a minute; long enough that a slow reader is not a silent client. */
export const pingIntervalMs = 5_000

/**
 * The first is for a server whose root is unknown, and here it leads to the documentation. The second asks a service that has ended for a
 * refusal, and here nothing listens any more, which the test of SIGTERM shows. The others are about origins, of which this server lists none.
 */
const ofOthers = new Set(["REST-ERROR-016", "WS-END-001", "REST-ORIGIN-001", "REST-ORIGIN-002", "REST-ORIGIN-003", "REST-ORIGIN-004"])

const isSoak = soakCount({ everyday: 0, full: 1 }) > 0

/** Expects a server with this `pingIntervalMs` to pass the audits whose ids match; in a soak, all. */
export const expectAuditsPassed = async (server: OperatedServer, everyday: RegExp): Promise<void> => {
  const isChosen = ({ id }: { readonly id: string }): boolean => (isSoak || everyday.test(id)) && !ofOthers.has(id)
  const operator = operatorOf({ ...server.provisioner, service: { dispose: async () => {} } })
  const provisioned = await provisionTarget(server.provisioner, { baseUrl: server.url })
  const target = { ...provisioned, pingIntervalMs, operator, loadShare: 0.1 }
  const reports = [await runAudits(target, restAudits.filter(isChosen)), await runAudits(target, wsAudits.filter(isChosen))]
  for (const report of reports) {
    const failed = report.entries.filter(({ result }) => result.kind !== "passed")
    expect(failed, printReport(report, { onlyFailures: true })).toEqual([])
    expect(report.entries.length).toBeGreaterThanOrEqual(4)
  }
}
