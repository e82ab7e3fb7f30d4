/** A service that lacks what it need not have: its audits are skipped if the target says so, fail if it does not, and no other audit asks for it. */
import { foreignPathResponse, HttpFetch, toWebHandler, webResponseOf } from "@sibyl/core"
import { layerProgramRuntime } from "@sibyl/vm"
import { Layer } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type MemoryService, openMemoryService } from "../memoryService.ts"
import { restAudits } from "./every/restAudits.ts"
import { wsAudits } from "./every/wsAudits.ts"
import { auditedOrigin as allowedOrigin, provisionTarget } from "./provision/provisionTarget.ts"
import { type ReportEntry, runAudits } from "./runAudits.ts"
import type { WsTarget } from "./ws/wsTarget.ts"

const paths = /^\/(?:keys|programs|feeds|tickets)(?:\/|$)|^\/executions\//
const lacking = { hasTickets: false, hasRecordings: false, hasKeyList: false, hasProgramRecords: false, hasDurableFeeds: false }

let memory: MemoryService
/** A service without these paths; its target says nothing of that. */
let silent: WsTarget

beforeAll(async () => {
  memory = await openMemoryService(layerProgramRuntime({ workers: 1 }).pipe(Layer.provide(HttpFetch.layerClosed)), {
    allowedOrigins: [allowedOrigin]
  })
  const handle = toWebHandler(memory.service)
  const unknown = (): Response => webResponseOf(foreignPathResponse(crypto.randomUUID()))
  const provisioned = await provisionTarget(memory, {
    baseUrl: "http://service",
    standAlone: true,
    allowedOrigin,
    fetch: async (request) => (paths.test(new URL(request.url).pathname) ? unknown() : ((await handle(request)) ?? unknown()))
  })
  const said = Object.fromEntries(Object.keys(lacking).map((fact) => [fact, undefined]))
  silent = { ...provisioned, ...said, settlingMs: 100 }
})
afterAll(() => memory.close())

const ofFeatures = /^(?:REST-(?:KEYS|PROGRAM|FEED)-|REST-NAME-003$|WS-FOLLOW-)/

const judged = async (target: WsTarget, ids: RegExp): Promise<ReadonlyArray<ReportEntry>> =>
  (
    await runAudits(
      target,
      [...restAudits, ...wsAudits].filter(({ id }) => ids.test(id))
    )
  ).entries

it("skips their audits with the reason, without a request", async () => {
  // An audit that sends a request fails.
  const unreachable: WsTarget = { ...silent, ...lacking, fetch: () => Promise.reject(new Error("a request")) }
  const entries = await judged(unreachable, ofFeatures)
  const reasons = new Map(entries.map(({ id, result }) => [id, result.kind === "skipped" ? result.reason : result.kind]))
  expect(reasons.size).toBe(14)
  for (const [id, reason] of reasons) {
    const what = /KEYS/.test(id) ? "does not list keys" : /FEED|FOLLOW/.test(id) ? "has no durable feeds" : "shows no programs"
    expect(reason, id).toBe(`the service ${what}`)
  }
})

it("fails them if the target says nothing, or that it has them", async () => {
  const has = { ...silent, hasKeyList: true, hasProgramRecords: true, hasDurableFeeds: true }
  for (const target of [silent, has]) {
    const entries = await judged(target, /^(?:REST-KEYS-|REST-PROGRAM-001|REST-FEED-001)/)
    expect(entries.map(({ result }) => result.kind)).toEqual(["failed", "failed", "failed"])
  }
})

it("leaves nothing that other audits ask for", async () => {
  const aboutPaths = /^REST-(?:ERROR-00[28]|DOCS-00[356]|ORIGIN-00[14])$/
  const said = await judged({ ...silent, ...lacking }, aboutPaths)
  expect(said.map(({ id, result }) => [id, result.kind])).toEqual(said.map(({ id }) => [id, "passed"]))
  expect(said.length).toBe(7)
  const unsaid = await judged(silent, /^REST-(?:ERROR-00[28]|DOCS-00[56])$/)
  expect(unsaid.map(({ result }) => result.kind)).toEqual(["failed", "failed", "failed", "failed"])
})
