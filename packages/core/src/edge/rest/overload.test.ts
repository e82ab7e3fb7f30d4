/** A service with far more requests than it can carry: what it refuses is said so and costs nothing, what it remembers is still answered. */
import { makeHandClock } from "@sibyl/testing"
import { Deferred, Effect, Layer } from "effect"
import { expect, it } from "vitest"
import { outcome, type Script } from "../../testdata/scriptedRuntime.ts"
import { layerTestPricing, openTestService, seamRequest } from "../../testdata/testService.ts"
import { maxWaiting } from "../../domain/runs/intakePatience.ts"

const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1))
}

const offered = 2 * maxWaiting
const places = 8

it("answers or refuses every request, charges what it answers, and serves what it remembers meanwhile", async () => {
  const gate = Effect.runSync(Deferred.make<void>())
  let isFlood = false
  const script: Script = () => (isFlood ? Effect.as(Deferred.await(gate), outcome()) : Effect.succeed(outcome()))
  const options = { maxRunsInFlight: places }
  const testService = await openTestService({ script, pricing: layerTestPricing, options })
  const { execProgramId, key } = testService
  // On a slow machine the queue would stand for so long that all who wait are late.
  const clock = Layer.setClock(makeHandClock(1_700_000_000_000))
  const service = await testService.openAnother((stores) => Layer.merge(Layer.succeedContext(stores), clock))
  const target = `/execute?execProgramId=${execProgramId}`
  const ask = async (method: string, url: string, headers: Record<string, string> = {}) => {
    const response = await service.fetch(seamRequest(method, url, { headers: { authorization: `Bearer ${key}`, ...headers } }))
    return { ...response, text: String(response?.body) }
  }
  const used = async () => BigInt(JSON.parse((await ask("GET", "/project")).text).credits.used)
  const first = await ask("POST", target, { "idempotency-key": "kept" })
  expect(first.status).toBe(200)
  const before = await used()

  isFlood = true
  let settled = 0
  const flood = Array.from({ length: offered }, (_, at) =>
    // Half of them bring keys that were never seen, which help nobody in.
    ask("POST", target, at % 2 === 0 ? {} : { "idempotency-key": `new-${at}` }).finally(() => {
      settled += 1
    })
  )
  const stored = await ask("GET", `${target}&returnLastResult=true`)
  const replayed = await ask("POST", target, { "idempotency-key": "kept" })
  expect([stored.status, replayed.status, replayed.text]).toEqual([200, 200, first.text])
  expect((await service.fetch(seamRequest("GET", "/health")))?.status).toBe(200)
  await until(() => settled === offered - places / 2)
  await Effect.runPromise(Deferred.succeed(gate, undefined))

  const answers = await Promise.all(flood)
  const answered = answers.filter(({ status }) => status === 200)
  const refused = answers.filter(({ status }) => status === 503)
  expect(answered.length + refused.length).toBe(offered)
  // Nobody else asks, so the project has half of the places.
  expect(answered.length).toBe(places / 2)
  for (const { headers, text } of refused) {
    expect(headers?.["retry-after"]).toBe("1")
    expect(JSON.parse(text)).toMatchObject({ _tag: "Overloaded" })
  }
  expect(await used()).toBe(before + BigInt(answered.length))
  expect((await ask("POST", target)).status).toBe(200)
  await service.dispose()
  await testService.service.dispose()
})
