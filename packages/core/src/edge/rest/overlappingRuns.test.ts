/** Runs of one request that overlap: the newest is the one that ended last, whichever started first (decisions D11, D14, D27). */
import { Deferred, Effect, Schema } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import * as Records from "../../contract/records.ts"
import { fromUtf8 } from "../../domain/encoding/bytes.ts"
import { outcome } from "../../testdata/scriptedRuntime.ts"
import { openTestService, type OpenTestService, seamRequest } from "../../testdata/testService.ts"

const [slowBegan, slowMayEnd] = [Effect.runSync(Deferred.make<void>()), Effect.runSync(Deferred.make<void>())]
let executions = 0
let testService: OpenTestService

beforeAll(async () => {
  testService = await openTestService({
    script: ({ phase }) => {
      const ended = Effect.succeed(outcome({ result: fromUtf8("1") }))
      if (phase !== "exec" || (executions += 1) > 1) return ended
      return Deferred.succeed(slowBegan, undefined).pipe(Effect.zipRight(Deferred.await(slowMayEnd)), Effect.zipRight(ended))
    }
  })
})

afterAll(() => testService.service.dispose())

const ask = async (path: string): Promise<unknown> => {
  const response = await testService.service.fetch(seamRequest("GET", path, { headers: { authorization: `Bearer ${testService.key}` } }))
  expect(response?.status).toBe(200)
  return JSON.parse(String(response?.body))
}

const execute = async (path: string) =>
  Schema.decodeUnknownSync(Records.ExecuteResponse)(await ask(`${path}?execProgramId=${testService.execProgramId}`)).data

it("a run that ends after a later one is the last result, and the first of the reports", async () => {
  const slowAnswer = execute("/execute")
  await Effect.runPromise(Deferred.await(slowBegan))
  const quick = await execute("/execute")
  expect((await execute("/execute/last-result")).id).toBe(quick.id)
  await Effect.runPromise(Deferred.succeed(slowMayEnd, undefined))
  const slow = await slowAnswer
  expect(BigInt(slow.dataResult.blockTimestamp)).toBeGreaterThan(BigInt(quick.dataResult.blockTimestamp))
  expect((await execute("/execute/last-result")).id).toBe(slow.id)
  const { data } = Schema.decodeUnknownSync(Records.ReportsRecord)(await ask(`/data-request-reports?drId=${slow.dataResult.drId}`))
  expect(data.map(({ executedAt, id }) => ({ id, ms: String(Date.parse(executedAt)) }))).toEqual([
    { id: slow.id, ms: slow.dataResult.blockTimestamp },
    { id: quick.id, ms: quick.dataResult.blockTimestamp }
  ])
})

it("says that a plus is lost where a zone was sent without encoding it", async () => {
  const query = `drId=${"d".repeat(64)}&startDate=2026-01-31T12:00:00`
  const response = await testService.service.fetch(
    seamRequest("GET", `/data-request-reports?${query}+02:00`, { headers: { authorization: `Bearer ${testService.key}` } })
  )
  expect(response?.status).toBe(400)
  expect(String(response?.body)).toContain("write %2B")
  await ask(`/data-request-reports?${query}%2B02:00`)
})
