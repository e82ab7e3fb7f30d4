/** The judge of the WebSocket interface is proven: each seeded fault turns its audit red, and the same audits pass when the way is clear. */
import { openFaultyProxy, runAudits, type WsFault, wsAudits, wsFaults, type WsTarget } from "@sibyl/testing"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type AuditedServer, startAuditedServer } from "./testdata/auditedSocketServer.ts"

let server: AuditedServer
beforeAll(async () => {
  server = await startAuditedServer()
})
afterAll(() => server.stop())

/** What audits say of the service behind a fault. */
const entriesBehind = async (fault: WsFault, isAsked: (id: string) => boolean) => {
  const proxy = await openFaultyProxy(server.target.baseUrl, fault)
  const target: WsTarget = { ...server.target, baseUrl: proxy.baseUrl }
  const report = await runAudits(target, wsAudits.filter(({ id }) => isAsked(id)))
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

// The audits of the end end the service, so their faults come last.
const inOrder = wsFaults.toSorted((one, two) => Number(endsTheService(one.foundBy)) - Number(endsTheService(two.foundBy)))

it.each(inOrder)("$foundBy finds: $name", async (fault) => {
  const entries = await entriesBehind(fault, (id) => id === fault.foundBy)
  expect(entries.map(({ result }) => result.kind)).toEqual(["failed"])
})

it("ids are permanent: none stands twice, all have the form", () => {
  const ids = wsAudits.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.filter((id) => !/^WS-[A-Z]+-\d{3}$/.test(id))).toEqual([])
})
