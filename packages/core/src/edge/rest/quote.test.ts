/** A dry run checks everything, runs nothing, charges nothing, and shows what a run would hold and what it last cost. */
import { Context, Effect, Layer, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { QuoteResponse } from "../../contract/records.ts"
import { ProgramRuntime } from "../../ports/programRuntime.ts"
import { outcome } from "../../testdata/scriptedRuntime.ts"
import { layerTestPricing, type OpenTestService, openTestService, seamRequest } from "../../testdata/testService.ts"
import type { Service } from "../transport/seam.ts"

const ask = async (testService: OpenTestService, query: string, body?: object, service: Service = testService.service) => {
  const response = await service.fetch(
    seamRequest(body === undefined ? "GET" : "POST", `/execute?${query}`, {
      headers: { authorization: `Bearer ${testService.key}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
  )
  return { status: response?.status, json: JSON.parse(String(response?.body)) as Readonly<Record<string, unknown>> }
}

const quoteOf = async (testService: OpenTestService, query: string, body?: object) => {
  const { json, status } = await ask(testService, query, body)
  expect(status).toBe(200)
  return Schema.decodeUnknownSync(QuoteResponse, { onExcessProperty: "error" })(json).data
}

const program = ({ execProgramId }: OpenTestService): string => `execProgramId=${execProgramId}`

describe("a quote", () => {
  it("is the worst case by its parts, what the request cost the last time, and what remains", async () => {
    const testService = await openTestService({ script: () => Effect.succeed(outcome({ gasUsed: 10n ** 13n })) })
    const before = await quoteOf(testService, `${program(testService)}&dryRun`)
    expect(before.quote).toEqual({
      worstCase: "1351",
      typical: null,
      cost: { base: "1", gas: "350", dataProxies: "1000", total: "1351" },
      gasPerWorkerMs: "10000000000",
      remaining: "1000000",
      remainingInPeriod: null,
      affordable: true
    })
    expect([testService.requests, testService.ledgerCalls]).toEqual([[], []])
    const { json } = await ask(testService, program(testService))
    const after = await quoteOf(testService, "", { execProgramId: testService.execProgramId, dryRun: true, encoding: "json" })
    expect(after.quote).toMatchObject({ typical: "21", remaining: "999979" })
    expect(json).toMatchObject({ data: { dataResult: { drId: after.drId } } })
    expect((await quoteOf(testService, `${program(testService)}&execInputs=other&dryRun=1`)).quote.typical).toBe(null)
    expect(testService.ledgerCalls).toEqual(["hold", "settle"])
    await testService.service.dispose()
  })

  it("counts the usage limit of the period, and a balance that does not cover it", async () => {
    const limited = await openTestService({ project: { usageLimit: { periodMs: 2_678_400_000, credits: 1_351n } } })
    expect((await quoteOf(limited, `${program(limited)}&dryRun`)).quote).toMatchObject({
      remainingInPeriod: "1351",
      affordable: true
    })
    await ask(limited, program(limited))
    const { quote } = await quoteOf(limited, `${program(limited)}&dryRun`)
    expect(quote).toMatchObject({ remainingInPeriod: "1349", affordable: false })
    expect((await ask(limited, program(limited))).status).toBe(429)
    const broke = await openTestService({ credits: 1_350n })
    const { quote: unaffordable } = await quoteOf(broke, `${program(broke)}&dryRun`)
    expect(unaffordable).toMatchObject({ remaining: "1350", affordable: false })
    expect(await ask(broke, program(broke))).toMatchObject({
      status: 403,
      json: { details: { required: "1351", remaining: "1350" } }
    })
    await Promise.all([limited.service.dispose(), broke.service.dispose()])
  })

  it("is refused if the run would be", async () => {
    const testService = await openTestService({ project: { allowedPrograms: ["ab".repeat(32)] } })
    expect(await ask(testService, `${program(testService)}&dryRun`)).toMatchObject({
      status: 400,
      json: { _tag: "ProgramNotAllowed" }
    })
    const unknown = await ask(testService, `execProgramId=${"ab".repeat(32)}&dryRun`)
    expect(unknown).toMatchObject({ status: 404, json: { _tag: "ProgramNotFound" } })
    expect(await ask(testService, `${program(testService)}&dryRun=yes`)).toMatchObject({
      status: 400,
      json: { details: { parameter: "dryRun" } }
    })
    expect((await ask(testService, `${program(testService)}&dryRun&execInputs=0xz`)).status).toBe(400)
    await testService.service.dispose()
  })

  it("is refused for a program that the phase cannot start, with the VM's reason", async () => {
    const testService = await openTestService()
    const service = await testService.openAnother((stores) =>
      Layer.succeedContext(
        Context.add(stores, ProgramRuntime, {
          ...Context.get(stores, ProgramRuntime),
          validate: ({ phase }) => Effect.succeed(phase === "tally" ? "no memory" : undefined)
        })
      )
    )
    expect(await ask(testService, `${program(testService)}&dryRun`, undefined, service)).toMatchObject({
      status: 400,
      json: { details: { parameter: "tallyProgramId" }, error: expect.stringContaining("no memory") }
    })
    await Promise.all([testService.service.dispose(), service.dispose()])
  })

  it("leaves out data proxies if the program cannot call any, and so does the hold", async () => {
    const testService = await openTestService({ credits: 351n })
    const service = await testService.openAnother((stores) =>
      Layer.succeedContext(Context.add(stores, ProgramRuntime, { ...Context.get(stores, ProgramRuntime), mayAskProxies: () => false }))
    )
    const { json } = await ask(testService, `${program(testService)}&dryRun`, undefined, service)
    expect(json).toMatchObject({
      data: { quote: { worstCase: "351", cost: { dataProxies: "0", gas: "350" }, affordable: true } }
    })
    expect((await ask(testService, program(testService), undefined, service)).status).toBe(200)
    // The run cannot spend more than its hold, whatever the runtime reports.
    expect(testService.requests.map(({ limits }) => limits.proxyBudgetCredits)).toEqual([0n, 0n])
    // If the runtime cannot tell, the hold covers everything.
    expect(await ask(testService, program(testService))).toMatchObject({
      status: 403,
      json: { error: "A run holds 1351 credits until its cost is known, and gets back what it does not cost; 349 remain" }
    })
    await Promise.all([testService.service.dispose(), service.dispose()])
  })

  it("uses the embedder's price list, as holds and charges do", async () => {
    const testService = await openTestService({ credits: 1n, pricing: layerTestPricing })
    expect((await quoteOf(testService, `${program(testService)}&dryRun`)).quote).toMatchObject({
      worstCase: "1",
      cost: { base: "1", gas: "0", dataProxies: "0", total: "1" },
      affordable: true
    })
    const answers = await Promise.all(Array.from({ length: 200 }, () => ask(testService, program(testService))))
    expect(answers.filter(({ status }) => status === 200).length).toBe(1)
    expect(answers.filter(({ status }) => status === 403).length).toBe(199)
    const { quote } = await quoteOf(testService, `${program(testService)}&dryRun`)
    expect(quote).toMatchObject({ typical: "1", remaining: "0", affordable: false })
    await testService.service.dispose()
  })
})

describe("a repeated parameter", () => {
  it("may have two notations of the same value", async () => {
    const testService = await openTestService()
    const same = "dryRun=true&dryRun=1&dryRun&execInputs=0x0A&execInputs=0x0a&encoding=hex&encoding=hex"
    const ids = `${program(testService)}&execProgramId=0x${testService.execProgramId.toUpperCase()}`
    expect((await ask(testService, `${ids}&${same}`)).status).toBe(200)
    const contradictions = { dryRun: "dryRun=true&dryRun=0", execInputs: "execInputs=a&execInputs=b" }
    for (const [name, twice] of Object.entries(contradictions)) {
      expect(await ask(testService, `${program(testService)}&${twice}`), twice).toMatchObject({
        status: 400,
        json: { details: { parameter: name, rule: "is given twice with different values" } }
      })
    }
    await testService.service.dispose()
  })
})
