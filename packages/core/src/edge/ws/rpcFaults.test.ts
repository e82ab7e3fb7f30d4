/** An internal error over WebSocket: code 36000, no internal details, no charge; connection and feeds go on. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { endings, type ManyTenants, openManyTenants } from "../../testdata/manyTenants.ts"
import { eventually, rpcClient } from "../../testdata/rpcClient.ts"
import { seamRequest } from "../../testdata/testService.ts"

let testService: ManyTenants

beforeAll(async () => {
  testService = await openManyTenants()
})

afterAll(() => testService.service.dispose())

const faultOf = (what: string) => {
  const text = `an unexpected error; the ${what} was not charged`
  return { code: 36000, _tag: "InternalError", error: text, message: text }
}

const credits = async (): Promise<unknown> => {
  const headers = { authorization: `Bearer ${testService.key}` }
  const response = await testService.service.fetch(seamRequest("GET", "/project", { headers }))
  return (JSON.parse(String(response?.body)) as { readonly credits: unknown }).credits
}

it("is a request's error, and the next request is answered", async () => {
  const before = await credits()
  const { execProgramId } = testService
  const client = await rpcClient(testService.service, testService.key)
  const failed = await client.ask("feed.execute", { execProgramId, execInputs: endings.breaks })
  expect(failed).toMatchObject({ error: faultOf("request") })
  expect(JSON.stringify(failed)).not.toContain("a fault of ours")
  expect(await credits()).toEqual(before)
  expect((await client.ask("feed.execute", { execProgramId, execInputs: "well" })).result).toBeDefined()
})

it("is a feed's result, run after run", async () => {
  const client = await rpcClient(testService.service, testService.key)
  const execute = { execProgramId: testService.execProgramId, execInputs: endings.breaks }
  const { result } = await client.ask("feed.start", { mode: "SEQUENTIAL", periodicityMs: 10, execute })
  const results = await eventually(() => {
    const heard = client.said().filter(({ method }) => method === "feed.result")
    return heard.length >= 3 ? heard.slice(0, 3) : undefined
  }, "three results")
  for (const [seq, { params }] of results.entries()) expect(params).toMatchObject({ seq, error: faultOf("run") })
  expect((await client.ask("feed.stop", { feedId: result?.["feedId"] })).result).toEqual(result)
})
