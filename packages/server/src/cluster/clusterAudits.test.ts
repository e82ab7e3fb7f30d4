/** The audits against `sibyl cluster`: its server keeps every rule while other processes run the programs. */
import { operatorOf, printReport, provisionTarget, restAudits, runAudits, wsAudits } from "@sibyl/testing"
import { soakCount } from "@sibyl/testing/soak"
import { afterAll, beforeAll, expect, test } from "vitest"
import { ownRuntime } from "../crash/testdata/site.ts"
import { OperatedServer } from "../testdata/operatedServer.ts"
import { describeNats } from "./testdata/describeNats.ts"

/** Short, so that the audits of silent clients do not take a minute; long enough that a slow reader is not a silent client. */
const pingIntervalMs = 5_000

/** Those in which programs run; all of REST's run every day in `packages/cluster`, and a soak runs all here. */
const everyday = /^(?:REST-EXEC-00[1-9]|WS-(?:EXEC|FEED|SHARE)-\d+)$/

/**
 * The first is for a server whose root is unknown, and here it leads to the documentation. The second asks a service that has ended for a
 * refusal, and here nothing listens any more, which the test of SIGTERM shows.
 */
const ofOthers = new Set(["REST-ERROR-016", "WS-END-001"])

const isSoak = soakCount({ everyday: 0, full: 1 }) > 0

describeNats("the audits of a cluster", () => {
  let server: OperatedServer

  beforeAll(async () => {
    const limits = ["--set", `limits.pingIntervalMs=${pingIntervalMs}`, "--set", "limits.httpPrefetches=0"]
    server = await OperatedServer.start(ownRuntime, "cluster", "--executors", "3", ...limits)
  }, 60_000)
  afterAll(() => server.close(), 60_000)

  test("are passed", { timeout: 900_000 }, async () => {
    const isChosen = ({ id }: { readonly id: string }): boolean => (isSoak || everyday.test(id)) && !ofOthers.has(id)
    const operator = operatorOf({ ...server.provisioner, service: { dispose: async () => {} } })
    const provisioned = await provisionTarget(server.provisioner, { baseUrl: server.url })
    const target = { ...provisioned, pingIntervalMs, operator, loadShare: 0.1 }
    const reports = [await runAudits(target, restAudits.filter(isChosen)), await runAudits(target, wsAudits.filter(isChosen))]
    for (const report of reports) {
      const failed = report.entries.filter(({ result }) => result.kind !== "passed")
      expect(failed, printReport(report, { onlyFailures: true })).toEqual([])
      expect(report.entries.length).toBeGreaterThanOrEqual(2)
    }
  })
})
