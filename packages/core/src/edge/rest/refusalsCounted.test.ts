/** Refused runs are counted whoever refuses them, and those by a project's own bound apart from those by what the service can carry. */
import { Deferred, Effect, Layer, Redacted } from "effect"
import { expect, it } from "vitest"
import type { MetricDescriptor } from "../../ports/metrics/metricDescriptor.ts"
import { metricList } from "../../ports/metrics/metricList.ts"
import { Metrics, type Measuring } from "../../ports/metrics/metrics.ts"
import { outcome, type Script } from "../../testdata/scriptedRuntime.ts"
import { openTestService, seamRequest } from "../../testdata/testService.ts"

/** What was added to each counter, by its labels. */
const counting = () => {
  const counts = new Map<string, number>()
  const nameOf = ({ name }: MetricDescriptor, labels: ReadonlyArray<string>) => [name, ...labels].join(" ")
  const measuring: Measuring = {
    isOn: true,
    add: (metric, by, ...labels) => void counts.set(nameOf(metric, labels), (counts.get(nameOf(metric, labels)) ?? 0) + by),
    observe: () => {},
    read: () => () => {}
  }
  const countOf = (metric: MetricDescriptor, ...labels: ReadonlyArray<string>) => counts.get(nameOf(metric, labels)) ?? 0
  return { measuring, countOf }
}

const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1))
}

it("by the project's own bound, and by that of the service", async () => {
  const gate = Effect.runSync(Deferred.make<void>())
  const script: Script = () => Effect.as(Deferred.await(gate), outcome())
  const opened = await openTestService({ script, project: { limits: { runsPerProject: 2 } }, options: { maxRunsInFlight: 8 } })
  const { execProgramId, key, keys, provisioning, requests } = opened
  const { countOf, measuring } = counting()
  const service = await opened.openAnother((stores) => Layer.merge(Layer.succeedContext(stores), Layer.succeed(Metrics, measuring)))
  const ask = async (bearer: string, method = "GET", headers: Record<string, string> = {}) => {
    const request = seamRequest(method, `/execute?execProgramId=${execProgramId}`, {
      headers: { authorization: `Bearer ${bearer}`, ...headers }
    })
    const { body, status } = (await service.fetch(request)) ?? {}
    return { status, ...(status === 503 ? { details: JSON.parse(String(body)).details } : {}) }
  }
  const counts = () => [countOf(metricList.runs, "Overloaded", "none"), countOf(metricList.overProjectLimit)]

  const running = [ask(key), ask(key)]
  await until(() => requests.length === 2)
  const ownBound = { status: 503, details: { runsInFlight: 2, limit: "runsPerProject" } }
  // At the door, and past it: a request under a key may have been answered before.
  for (let times = 0; times < 3; times += 1) expect(await ask(key)).toEqual(ownBound)
  expect(await ask(key, "POST", { "idempotency-key": "new" })).toEqual(ownBound)
  expect(counts()).toEqual([4, 4])

  const other = await Effect.runPromise(
    Effect.orDie(
      Effect.gen(function* () {
        const { projectId } = yield* provisioning.createProject({ organizationSlug: "others" })
        yield* provisioning.grant(projectId, 1_000_000n)
        return yield* keys.issue(projectId)
      })
    )
  )
  const theirKey = Redacted.value(other.key)
  // Of the six places that are free, three.
  const theirs = [1, 2, 3].map(() => ask(theirKey))
  await until(() => requests.length === 5)
  expect(await ask(theirKey)).toEqual({ status: 503, details: { runsInFlight: 3, limit: "maxRunsInFlight" } })
  expect(counts()).toEqual([5, 4])

  await Effect.runPromise(Deferred.succeed(gate, undefined))
  expect((await Promise.all([...running, ...theirs])).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  expect(counts()).toEqual([5, 4])
  await service.dispose()
  await opened.service.dispose()
})
