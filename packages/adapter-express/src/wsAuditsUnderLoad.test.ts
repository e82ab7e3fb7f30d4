/** The judge is right on a machine that is far too busy: no audit fails that the service does not deserve. */
import { loadavg } from "node:os"
import { printReport, runAudits, wsAudits } from "@sibyl/testing"
import { soakCount } from "@sibyl/testing/soak"
import { expect, it } from "vitest"
import { startAuditedServer } from "./testdata/auditedSocketServer.ts"
import { startBusyProcesses } from "./testdata/busyProcesses.ts"

/** 20 in a soak; `SIBYL_SOAK=0.1` makes two of them. */
const rounds = soakCount({ everyday: 1, full: 20 })
const isSoak = soakCount({ everyday: 0, full: 1 }) > 0
/** Processes that are always ready to run: a load average of 20 in a soak, as long as it lasts. */
const busy = isSoak ? 20 : 4
/** Those that judge times; in a soak, all. */
const everyday = /^WS-(?:MODE|SHARE|CREDIT|FEED-00[1359])/
const audits = wsAudits.filter(({ id }) => isSoak || everyday.test(id))
const roundMs = 300_000

it(`makes no false alarm while ${busy} other processes are busy`, { timeout: 60_000 + rounds * roundMs }, async () => {
  const told: Array<string> = []
  for (let round = 1; round <= rounds; round += 1) {
    // The last audit ends the service, so each round has its own.
    const server = await startAuditedServer()
    const load = startBusyProcesses(busy, roundMs)
    const startedMs = performance.now()
    try {
      const report = await runAudits({ ...server.target, loadShare: 0.1 }, audits)
      const failed = report.entries.filter(({ result }) => result.kind === "failed").map(({ id }) => id)
      const seconds = ((performance.now() - startedMs) / 1_000).toFixed(0)
      const line = `round ${round}: ${report.entries.length} audits, ${failed.length} failed, ${seconds} s, load ${loadavg()[0]?.toFixed(1)}`
      told.push(`${line}, ${load.running()} busy`)
      if (isSoak) process.stderr.write(`${told.at(-1)}\n`)
      expect(failed, [...told, printReport(report, { onlyFailures: true })].join("\n")).toEqual([])
      expect(report.entries.length).toBe(audits.length)
      expect(load.running()).toBe(busy)
    } finally {
      await load.stop()
      await server.stop()
    }
  }
  expect(told.length).toBe(rounds)
})
