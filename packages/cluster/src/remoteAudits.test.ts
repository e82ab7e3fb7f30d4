/** The REST audits against a service whose programs run on executors: every rule holds as it does in one process. */
import { Entropy, HttpFetch, toWebHandler } from "@sibyl/core"
import { openMemoryService, printReport, provisionTarget, restAudits, runAudits, targetGrades } from "@sibyl/testing"
import { Effect, Layer } from "effect"
import { expect, it } from "vitest"
import { NatsConnection } from "./connection/natsConnection.ts"
import { layerRemoteRuntime } from "./edge/layerRemoteRuntime.ts"
import { openExecutor, run } from "./testdata/inProcess.ts"
import { describeNats, startNats } from "./testdata/natsServer.ts"

describeNats("a service over executors", () => {
  it(
    "satisfies every rule that can be checked here",
    () =>
      run(
        Effect.gen(function* () {
          const { url } = yield* startNats()
          const closed = yield* Effect.provide(HttpFetch, HttpFetch.layerClosed)
          for (const _ of [1, 2, 3]) yield* openExecutor(url, {}, closed.fetch)
          const machine = layerRemoteRuntime().pipe(Layer.provide([NatsConnection.layer({ servers: [url] }), Entropy.layer]), Layer.orDie)
          const memory = yield* Effect.acquireRelease(
            Effect.promise(() => openMemoryService(machine)),
            (opened) => Effect.promise(() => opened.close())
          )
          const handle = toWebHandler(memory.service)
          const foreign = new Response("not the service's", { status: 404 })
          const fetch = async (request: Request) => (await handle(request)) ?? foreign
          const target = yield* Effect.promise(() => provisionTarget(memory, { baseUrl: "http://service", fetch }))
          const report = yield* Effect.promise(() => runAudits(target, restAudits))
          const failed = report.entries.filter(({ result }) => result.kind === "failed")
          expect(failed, printReport(report, { onlyFailures: true })).toEqual([])
          const skipped = report.entries.filter(({ result }) => result.kind === "skipped").map(({ id }) => id)
          expect(skipped).toEqual(targetGrades.executors.skipped)
          expect(report.entries.length).toBe(restAudits.length)
        })
      ),
    300_000
  )
})
