/** The run of the command: budget, waivers, what is heard, and the reports of it, against a service in memory. */
import { HttpFetch, toWebHandler } from "@sibyl/core"
import { layerProgramRuntime } from "@sibyl/vm"
import { Layer } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { provisionTarget } from "../audits/provision/provisionTarget.ts"
import type { Target } from "../audits/rest/target.ts"
import { type MemoryService, openMemoryService } from "../memoryService.ts"
import { remainingOf } from "./creditBudget.ts"
import { explainAudit, explainRun } from "./explain.ts"
import { humanReport } from "./humanReport.ts"
import { jsonReport, junitReport } from "./machineReports.ts"
import { conformAudits, type ConformEntry, type ConformPlan, type ConformReport, runConform } from "./runConform.ts"

let memory: MemoryService
let target: Target
let remainingCredits: bigint

beforeAll(async () => {
  memory = await openMemoryService(layerProgramRuntime({ workers: 1 }).pipe(Layer.provide(HttpFetch.layerClosed)))
  const handle = toWebHandler(memory.service)
  target = await provisionTarget(memory, {
    baseUrl: "http://service",
    fetch: async (request) => (await handle(request)) ?? new Response(null, { status: 404 })
  })
  remainingCredits = await remainingOf(target)
})
// Each run is told what its project has when it begins.
beforeEach(async () => {
  remainingCredits = await remainingOf(target)
})
afterAll(() => memory.close())

const plan = (ids: RegExp, more: Partial<ConformPlan> = {}): ConformPlan => ({
  audits: conformAudits.filter(({ id }) => ids.test(id)),
  maxCredits: 100_000n,
  remainingCredits,
  waivers: [],
  onEntry: () => {},
  ...more
})

/** The target behind a gateway that adds a member to each body and repeats the key in it. */
const broken = (): Target => ({
  ...target,
  fetch: async (request) => {
    const answer = (await target.fetch?.(request)) ?? Response.error()
    const json = (await answer.json()) as object
    return Response.json({ "<gateway>": `${request.headers.get("authorization")}\u0001`, ...json }, answer)
  }
})

/** In pairs: a closing tag closes what is open. Throws on a stray `<` or `&`. */
const wellFormed = (text: string): boolean => {
  const open: Array<string> = []
  const body = text.replace(/^<\?xml [^>]*\?>\n/, "")
  for (const [, close, name = "", attributes = "", alone] of body.matchAll(/<(\/?)([a-z-]+)((?: [a-z]+="[^"<]*")*)(\/?)>/g)) {
    if (/&(?!(?:amp|lt|gt|quot|apos);)/.test(attributes)) throw new Error(attributes)
    if (close === "/" && open.pop() !== name) throw new Error(name)
    if (close === "" && alone === "") open.push(name)
  }
  const between = body.replaceAll(/<\/?[a-z-]+(?: [a-z]+="[^"<]*")*\/?>/g, "")
  return open.length === 0 && !/<|&(?!(?:amp|lt|gt|quot|apos);)/.test(between)
}

describe("a conforming service", () => {
  const seen: Array<ConformEntry> = []
  let report: ConformReport
  beforeAll(async () => {
    report = await runConform(target, plan(/^(REST-EXEC-00|REST-ERROR-016|WS-END)/, { onEntry: (entry) => void seen.push(entry) }))
  })

  it("conforms, with what was spent and what was skipped", () => {
    expect(report).toMatchObject({ conforms: true, needlessWaivers: [] })
    expect(report.creditsSpent).toBeGreaterThan(0n)
    expect(seen.map(({ id }) => id).toSorted()).toEqual(report.entries.map(({ id }) => id).toSorted())
    const text = humanReport(report)
    expect(text).toContain("The service conforms (2 not tried).")
    expect(text).toMatch(/^All +9 of 11, 2 skipped +- +-$/m)
    expect(text).toContain("unknown paths belong to the embedding server:\n    REST-ERROR-016")
  })

  it("is reported to machines", () => {
    const json = JSON.parse(jsonReport(report))
    expect(json).toMatchObject({ version: 1, conforms: true, creditsSpent: String(report.creditsSpent) })
    expect(json.audits.filter(({ result }: { readonly result: string }) => result === "passed")).toHaveLength(9)
    const junit = junitReport(report)
    expect(wellFormed(junit)).toBe(true)
    expect(junit).toContain('<testsuites name="conformance" tests="11" failures="0" errors="0" skipped="2"')
  })

  it("shows what an audit sends and what has to come", () => {
    const [entry] = report.entries
    const text = entry === undefined ? "" : explainRun(entry)
    expect(text).toContain("> GET http://service/execute?execProgramId=")
    expect(text).toContain('< 200 {"_tag":"ExecuteResponse"')
    expect(text).toMatch(/What had to come, and did\n {2}\S/)
  })
})

describe("a service that does not conform", () => {
  it("is red, with what was sent and received, without keys", async () => {
    const report = await runConform(broken(), plan(/^REST-(EXEC-001|SHOW-002)$/))
    const text = humanReport(report)
    expect(report.conforms).toBe(false)
    expect(text).toContain("The service does not conform.")
    expect(text).toContain("> GET http://service/execute")
    expect(text).toContain('< 200 {"<gateway>":"Bearer KEY')
    // What a check found: a body as text in a text.
    expect(text).toMatch(/found: .*gateway.*Bearer KEY/)
    for (const shown of [text, jsonReport(report), junitReport(report)]) expect(shown).not.toContain(target.apiKey)
    expect(wellFormed(junitReport(report))).toBe(true)
    expect(junitReport(report)).toContain('failures="2"')
  })

  it("conforms if each failure is waived, which the reports say", async () => {
    const waiver = { id: "REST-EXEC-001", reason: "the gateway is replaced in March", until: "2999-12-31" }
    const needless = { ...waiver, id: "REST-EXEC-002" }
    const report = await runConform(broken(), plan(/^REST-EXEC-001$/, { waivers: [waiver, needless] }))
    expect(report).toMatchObject({ conforms: true, needlessWaivers: [needless] })
    expect(humanReport(report)).toContain("The service conforms (1 waived).")
    expect(humanReport(report)).toContain("(waived until 2999-12-31: the gateway is replaced in March)")
    expect(junitReport(report)).toContain('<skipped message="waived until 2999-12-31: the gateway is replaced in March"/>')
  })

  it("fails audits, and not the run, if it stops answering", async () => {
    let answers = 1
    const report = await runConform(
      { ...target, fetch: async (request) => ((answers -= 1) < 0 ? Promise.reject(new Error("gone")) : await target.fetch!(request)) },
      plan(/^REST-EXEC-00[12]$/)
    )
    expect(report.entries.map(({ result }) => result.kind)).toEqual(["failed", "failed"])
    expect([report.conforms, report.creditsSpent]).toEqual([false, undefined])
    expect(humanReport(report)).toContain("an unknown number of credits spent")
    expect(JSON.parse(jsonReport(report)).creditsSpent).toBeNull()
  })
})

it("a service that lets five audits wait in vain is asked no more, and each further audit has failed", async () => {
  let asked = 0
  const fetch = async (request: Request): Promise<Response> => {
    asked += 1
    if (!request.url.endsWith("/verify")) throw new DOMException("The operation was aborted due to timeout", "TimeoutError")
    return (await target.fetch?.(request)) ?? Response.error()
  }
  const five = plan(/^REST-FIELD-00[1-5]$/)
  await runConform({ ...target, fetch }, five)
  const askedByFive = asked
  asked = 0
  const report = await runConform({ ...target, fetch }, plan(/^REST-FIELD-0/))
  expect(report.entries.length).toBeGreaterThan(five.audits.length)
  expect(report.entries.map(({ result }) => result.kind)).toEqual(report.entries.map(() => "failed"))
  expect(asked).toBe(askedByFive)
  expect(humanReport(report)).toContain("5 audits had no answer in time: not made")
})

it("nothing begins that could spend more than allowed, and nothing tried does not conform", async () => {
  const report = await runConform(target, plan(/^REST-EXEC-00/, { maxCredits: 24_999n }))
  expect(report).toMatchObject({ conforms: false, creditsSpent: 0n })
  expect(report.entries.map(({ result }) => result.kind)).toEqual(report.entries.map(() => "skipped"))
  expect(humanReport(report)).toContain("Nothing was tried, so nothing is shown.")
})

it("every audit is explained: its rule, the clauses that it shows, and a fault that it finds", () => {
  for (const audit of conformAudits) {
    const text = explainAudit(audit)
    expect(text).toContain(audit.title)
    expect(text).toMatch(/Why: the clauses that it shows\n {2}\S/)
    expect(text).toMatch(/one of these faults, among others\n {2}\S/)
  }
})
