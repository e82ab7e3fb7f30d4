/** The REST audits against the real service in this process: every rule holds. */
import { HttpFetch, toWebHandler } from "@sibyl/core"
import { layerProgramRuntime } from "@sibyl/vm"
import { Layer } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { targetGrades } from "../../conformance/targetGrades.ts"
import { openMemoryService, type MemoryService } from "../../memoryService.ts"
import { printReport } from "../printReport.ts"
import { type Report, runAudits } from "../runAudits.ts"
import { restAudits } from "../every/restAudits.ts"
import { auditedOrigin, provisionTarget } from "../provision/provisionTarget.ts"
import type { Target } from "./target.ts"

let memory: MemoryService
let target: Target
let report: Report

beforeAll(async () => {
  memory = await openMemoryService(layerProgramRuntime({ workers: 2 }).pipe(Layer.provide(HttpFetch.layerClosed)), {
    allowedOrigins: [auditedOrigin]
  })
  const handle = toWebHandler(memory.service)
  const foreign = new Response("not the service's", { status: 404 })
  target = await provisionTarget(memory, {
    baseUrl: "http://service",
    allowedOrigin: auditedOrigin,
    fetch: async (request) => (await handle(request)) ?? foreign
  })
  report = await runAudits(target, restAudits)
}, 300_000)

afterAll(() => memory.close())

it("the service satisfies every rule that can be checked here", () => {
  expect(
    report.entries.filter(({ result }) => result.kind === "failed"),
    printReport(report, { onlyFailures: true })
  ).toEqual([])
  expect(report.entries.filter(({ result }) => result.kind === "skipped").map(({ id }) => id)).toEqual(targetGrades.webHandler.skipped)
})
