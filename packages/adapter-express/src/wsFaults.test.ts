/** Each seeded fault fails its WebSocket audit, and the same audits pass through a proxy that changes nothing. */
import { openFaultyProxy, runAudits, type WsFault, wsAudits, wsFaults, type WsTarget } from "@sibyl/testing"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type AuditedServer, startAuditedServer } from "./testdata/auditedSocketServer.ts"

let server: AuditedServer
beforeAll(async () => {
  server = await startAuditedServer()
})
afterAll(() => server.stop())

/** Short, so that a fault that never settles is found soon: no run of the audits' programs takes this long. */
const settlingMs = 4_000
/** Enough for each fault of the load audits to show; in a soak wsAudits.test.ts makes the complete load. */
const loadShare = 0.1

/** What audits report of the service with a fault. */
const entriesBehind = async (fault: WsFault, isAsked: (id: string) => boolean) => {
  const proxy = await openFaultyProxy(server.target.baseUrl, fault)
  const target: WsTarget = { ...server.target, baseUrl: proxy.baseUrl, settlingMs, loadShare }
  const report = await runAudits(
    target,
    wsAudits.filter(({ id }) => isAsked(id))
  )
  proxy.close()
  return report.entries
}

const endsTheService = (id: string): boolean => id.startsWith("WS-END")
const found = new Set(wsFaults.map(({ foundBy }) => foundBy).filter((id) => !endsTheService(id)))

it("the audits pass through a proxy that changes nothing", { timeout: 300_000 }, async () => {
  const entries = await entriesBehind({ name: "none", foundBy: "" }, (id) => found.has(id))
  expect(entries.filter(({ result }) => result.kind !== "passed")).toEqual([])
  expect(entries.length).toBe(found.size)
})

const expectFound = async (fault: WsFault): Promise<void> => {
  const entries = await entriesBehind(fault, (id) => id === fault.foundBy)
  expect(entries.map(({ result }) => result.kind)).toEqual(["failed"])
}

/** Audits that mostly wait, and count nothing that another audit changes: their faults are tested concurrently. */
const mostlyWaits = (id: string): boolean => id.startsWith("WS-LIVE")
const rest = wsFaults.filter(({ foundBy }) => !mostlyWaits(foundBy))

it.each(rest.filter(({ foundBy }) => !endsTheService(foundBy)))("$foundBy detects: $name", expectFound)

it.concurrent.each(wsFaults.filter(({ foundBy }) => mostlyWaits(foundBy)))("$foundBy detects: $name", expectFound)

// The audits of the shutdown stop the service, so their faults come last.
it.each(rest.filter(({ foundBy }) => endsTheService(foundBy)))("$foundBy detects: $name", expectFound)

it("every audit has a fault that it detects", () => {
  const foundBy = new Set(wsFaults.map((fault) => fault.foundBy))
  expect(wsAudits.filter(({ id }) => !foundBy.has(id)).map(({ id }) => id)).toEqual([])
})

it("ids are unique and well-formed", () => {
  const ids = wsAudits.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.filter((id) => !/^WS-[A-Z]+-\d{3}$/.test(id))).toEqual([])
})
