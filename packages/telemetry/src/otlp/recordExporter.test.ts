/** Records reach the collector many at once, the last when the scope closes; after a failure nothing is sent for a minute. */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { Effect, TestClock, TestContext } from "effect"
import { expect, it } from "vitest"
import { recordExporter } from "./recordExporter.ts"

interface Sent {
  readonly resourceLogs: ReadonlyArray<{ readonly scopeLogs: ReadonlyArray<{ readonly logRecords: ReadonlyArray<unknown> }> }>
}

const url = "http://127.0.0.1:1/v1/logs"

/** A collector within this process. */
class Collector {
  /** How many records each request had. */
  readonly batches: Array<number> = []
  readonly carried: Array<number> = []
  dropped = 0
  isAway = false

  readonly client = HttpClient.make((request) => {
    if (request.body._tag !== "Uint8Array" || request.url !== url) return Effect.dieMessage("another request")
    const text = new TextDecoder().decode(request.body.body)
    const records = (JSON.parse(text) as Sent).resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords))
    this.batches.push(records.length)
    return this.isAway
      ? Effect.fail(new HttpClientError.RequestError({ request, reason: "Transport" }))
      : Effect.succeed(HttpClientResponse.fromWeb(request, new Response("{}")))
  })
}

const run = (use: (push: () => void, collector: Collector) => Effect.Effect<void>): Promise<Collector> => {
  const collector = new Collector()
  const exporter = recordExporter({
    signal: "logs",
    client: collector.client,
    url,
    headers: {},
    resource: { serviceName: "sibyl" },
    intervalMs: 1_000,
    shutdownMs: 1_000,
    carries: (_body, count) => void collector.carried.push(count),
    dropped: () => void (collector.dropped += 1)
  })
  const test = Effect.flatMap(exporter, (push) => use(() => push(() => JSON.stringify({ body: { stringValue: "run" } })), collector))
  return Effect.runPromise(Effect.as(Effect.scoped(test), collector).pipe(Effect.provide(TestContext.TestContext)))
}

it("sends a thousand at once, what waits after a while, and the rest at the end", async () => {
  const { batches, carried, dropped } = await run((push, seen) =>
    Effect.gen(function* () {
      for (let at = 0; at < 1_001; at += 1) push()
      yield* TestClock.adjust(0)
      expect(seen.batches).toEqual([1_000])
      yield* TestClock.adjust(1_000)
      expect(seen.batches).toEqual([1_000, 1])
      push()
      push()
    })
  )
  expect([batches, carried, dropped]).toEqual([[1_000, 1, 2], [1_000, 1, 2], 0])
})

it("sends nothing for a minute after a failure, and says what it drops", async () => {
  const { batches, dropped } = await run((push, collector) =>
    Effect.gen(function* () {
      collector.isAway = true
      push()
      yield* TestClock.adjust(1_000)
      collector.isAway = false
      push()
      yield* TestClock.adjust(59_000)
      push()
      expect([collector.batches, collector.dropped]).toEqual([[1], 2])
      yield* TestClock.adjust(1_000)
      push()
    })
  )
  expect([batches, dropped]).toEqual([[1, 1], 2])
})
