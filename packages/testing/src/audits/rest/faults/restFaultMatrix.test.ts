/**
 * Each fault, with every audit: those that find it fail, and no audit fails whose own exchanges the fault left alone. A soak takes all
 * faults (about 20 minutes); every day some are taken.
 */
import { foreignPathResponse, HttpFetch, toWebHandler, webResponseOf } from "@sibyl/core"
import { layerProgramRuntime } from "@sibyl/vm"
import { Layer } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type MemoryService, openMemoryService } from "../../../memoryService.ts"
import { soakCount } from "../../../soak/soakCount.ts"
import { restAudits } from "../../every/restAudits.ts"
import { auditedOrigin as allowedOrigin, provisionTarget } from "../../provision/provisionTarget.ts"
import { everyRestFault } from "./everyRestFault.ts"
import { faultyFetch, type Send } from "./faultyFetch.ts"
import type { RestFault } from "./restFault.ts"

/** The last audit shuts the service down, for which each fault would need one of its own: restFaults.test.ts has it. */
const audits = restAudits.slice(0, -1)
const lastId = restAudits.at(-1)?.id
const faults = everyRestFault.filter(({ foundBy }) => foundBy !== lastId)
const wanted = soakCount({ everyday: 3, full: faults.length })
const isSoak = wanted > 3
/** As many as are wanted, over the whole list. */
const chosen = faults.filter((_, at) => Math.floor((at * wanted) / faults.length) !== Math.floor(((at - 1) * wanted) / faults.length))

let memory: MemoryService
let honest: Send

beforeAll(async () => {
  memory = await openMemoryService(layerProgramRuntime({ workers: 2 }).pipe(Layer.provide(HttpFetch.layerClosed)), {
    allowedOrigins: [allowedOrigin]
  })
  const handle = toWebHandler(memory.service)
  honest = async (request) => (await handle(request)) ?? webResponseOf(foreignPathResponse(crypto.randomUUID()))
})
afterAll(() => memory.close())

/** In a soak short, so that a feed that never runs is found soon; every day long enough for a machine that has other tests to run. */
const settlingMs = isSoak ? 1_000 : 4_000

/** What each audit says of the service with the fault, and whether the fault changed anything that the audit sent or was answered. */
const judge = async (fault: RestFault) => {
  const target = await provisionTarget(memory, { baseUrl: "http://service", fetch: honest, standAlone: true, allowedOrigin })
  const verdicts: Array<{ readonly id: string; readonly failed: boolean; readonly isTouched: boolean }> = []
  // One after the other: they count the credits of one project.
  for (const { id, run } of audits) {
    let isTouched = false
    const fetch = faultyFetch(honest, fault, () => {
      isTouched = true
    })
    const { kind } = await run({ ...target, settlingMs, fetch })
    verdicts.push({ id, failed: kind === "failed", isTouched })
  }
  return verdicts
}

it("no audit fails without a fault", async () => {
  const verdicts = await judge({ name: "none", foundBy: "", answer: (passing) => passing })
  expect(verdicts.filter(({ failed, isTouched }) => failed || isTouched)).toEqual([])
})

it.each(chosen)("$foundBy: $name", async (fault) => {
  const verdicts = await judge(fault)
  const failed = verdicts.filter((verdict) => verdict.failed)
  if (isSoak) {
    const touched = verdicts.filter(({ isTouched }) => isTouched).length
    process.stderr.write(`${fault.foundBy} ${fault.name}: ${failed.length} failed of ${touched} that the fault touched\n`)
  }
  expect(failed.map(({ id }) => id)).toContain(fault.foundBy)
  expect(failed.filter(({ isTouched }) => !isTouched).map(({ id }) => id)).toEqual([])
})
