/** Each seeded fault fails its audit, and no audit passes a server without useful responses. */
import { foreignPathResponse, HttpFetch, toWebHandler, webResponseOf } from "@sibyl/core"
import { layerProgramRuntime } from "@sibyl/vm"
import { Layer } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type MemoryService, openMemoryService } from "../../../memoryService.ts"
import { runAudits } from "../../runAudits.ts"
import { restAudits } from "../../every/restAudits.ts"
import { everyRestFault as faults } from "./everyRestFault.ts"
import { faultyFetch, type Send } from "./faultyFetch.ts"
import type { RestFault } from "./restFault.ts"
import { auditedOrigin as allowedOrigin, provisionTarget } from "../../provision/provisionTarget.ts"
import type { Target } from "../target.ts"

const browsers = { allowedOrigins: [allowedOrigin] }

let memory: MemoryService
let target: Target
let honest: Send

beforeAll(async () => {
  memory = await openMemoryService(layerProgramRuntime({ workers: 2 }).pipe(Layer.provide(HttpFetch.layerClosed)), browsers)
  const handle = toWebHandler(memory.service)
  honest = async (request) => (await handle(request)) ?? webResponseOf(foreignPathResponse(crypto.randomUUID()))
  target = await provisionTarget(memory, { baseUrl: "http://service", fetch: honest, standAlone: true, allowedOrigin })
})

afterAll(() => memory.close())

/** Short, so that a feed that never runs is found soon: no run of the audits' programs takes this long. */
const settlingMs = 4_000
/** Of a server without useful responses, which no time changes. */
const uselessMs = 100

/** The verdict of one audit on the service with a fault. */
const verdictOf = async (id: string, fault: RestFault): Promise<unknown> => {
  const report = await runAudits(
    { ...target, settlingMs, fetch: faultyFetch(honest, fault) },
    restAudits.filter((audit) => audit.id === id)
  )
  return report.entries[0]?.result.kind
}

it.each(faults)("$foundBy detects: $name", async (fault) => {
  expect(await verdictOf(fault.foundBy, fault)).toBe("failed")
})

it("the same audits pass without a fault", { timeout: 300_000 }, async () => {
  const clear: RestFault = { name: "none", foundBy: "", answer: (passing) => passing }
  const found = new Set(faults.map(({ foundBy }) => foundBy))
  const report = await runAudits(
    { ...target, fetch: faultyFetch(honest, clear) },
    restAudits.filter(({ id }) => found.has(id))
  )
  expect(report.entries.filter(({ result }) => result.kind !== "passed")).toEqual([])
  expect(report.entries.length).toBe(found.size)
})

it("every audit has a fault that it detects", () => {
  const found = new Set(faults.map(({ foundBy }) => foundBy))
  expect(restAudits.filter(({ id }) => !found.has(id)).map(({ id }) => id)).toEqual([])
})

describe("no audit passes", () => {
  it.each([200, 400, 404, 500, 599])("a server that answers {} with status %i to everything", async (status) => {
    const report = await runAudits({ ...target, settlingMs: uselessMs, fetch: async () => Response.json({}, { status }) }, restAudits)
    expect(report.entries.filter(({ result }) => result.kind !== "failed").map(({ id }) => id)).toEqual([])
  })

  it("a server that does not exist", async () => {
    const report = await runAudits({ ...target, settlingMs: uselessMs, fetch: () => Promise.reject(new Error("refused")) }, restAudits)
    expect(report.entries.filter(({ result }) => result.kind !== "failed").map(({ id }) => id)).toEqual([])
  })
})

it("ids are unique and well-formed", () => {
  const ids = restAudits.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.filter((id) => !/^REST-[A-Z]+-\d{3}$/.test(id))).toEqual([])
})
