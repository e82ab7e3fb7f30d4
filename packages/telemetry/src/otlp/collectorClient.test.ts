/** A collector that does not take what it is sent is told of once, with the reason, and when it does again, so is what it has missed. */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { it } from "@effect/vitest"
import { Deferred, Effect, HashMap, Logger, TestClock } from "effect"
import { describe, expect } from "vitest"
import { collectorClient } from "./collectorClient.ts"
import { SentItems, type Signal } from "./sentItems.ts"

/** A status, no connection, or an answer that comes when it is let go. */
type Behaviour = number | "away" | Deferred.Deferred<void>

/** A client of a collector that behaves so, one request after the other. Each request has two items. */
const watched = (behaviours: ReadonlyArray<Behaviour>) => {
  const lines: Array<readonly [level: string, text: string, facts: Record<string, unknown>]> = []
  const logger = Logger.make<unknown, void>(({ annotations, logLevel, message }) => {
    const { part: _part, ...facts } = Object.fromEntries(HashMap.toEntries(annotations))
    lines.push([logLevel.label, String(message), facts])
  })
  const left = [...behaviours]
  const answer = (request: HttpClientRequest.HttpClientRequest, status: number) =>
    HttpClientResponse.fromWeb(request, new Response("", { status }))
  const inner = HttpClient.make((request) =>
    Effect.suspend(() => {
      const now = left.shift() ?? 500
      if (now === "away") return Effect.fail(new HttpClientError.RequestError({ request, reason: "Transport" }))
      if (typeof now === "number") return Effect.succeed(answer(request, now))
      return Effect.as(Deferred.await(now), answer(request, 200))
    })
  )
  const items: Record<Signal, SentItems> = { traces: new SentItems(), metrics: new SentItems(), logs: new SentItems() }
  const client = collectorClient(inner, {
    origin: "http://collector",
    timeoutMs: 10_000,
    ended: ({ url }, isTaken) => items[url.slice(url.lastIndexOf("/") + 1) as Signal].ended(2, isTaken),
    dropped: () => ({ traces: items.traces.dropped, metrics: items.metrics.dropped, logs: items.logs.dropped })
  })
  const send = (signal: Signal = "traces") =>
    Effect.ignore(client.execute(HttpClientRequest.post(`http://collector/v1/${signal}`))).pipe(
      Effect.provide(Logger.replace(Logger.defaultLogger, logger))
    )
  return { lines, items, send }
}

const dropped = (spans: number, metrics = 0, records = 0) => ({ droppedSpans: spans, droppedMetrics: metrics, droppedRecords: records })
const away = (reason: string, counts: object) => [
  "WARN",
  "telemetry cannot be sent to http://collector; it is dropped until it can",
  { reason, ...counts }
]
const back = (counts: object) => ["INFO", "telemetry is sent to http://collector again", counts]

describe("a collector", () => {
  it.effect("that goes away is told of each time anew, and so is when it is back, with what it has missed", () =>
    Effect.gen(function* () {
      const { items, lines, send } = watched([200, 400, 400, 200, 200, 401, 200])
      yield* send()
      yield* send()
      yield* send("logs")
      yield* TestClock.adjust("1 minute")
      yield* send()
      yield* send()
      yield* send("metrics")
      yield* TestClock.adjust("1 minute")
      yield* send()
      expect(lines).toEqual([
        away("it answers with 400", dropped(2)),
        back(dropped(0, 0, 2)),
        away("it answers with 401", dropped(0, 2)),
        back(dropped(0))
      ])
      expect([items.traces.sent, items.traces.dropped]).toEqual([8, 2])
    })
  )

  it.effect("that is not reached is tried three times for each request", () =>
    Effect.gen(function* () {
      const { items, lines, send } = watched(["away", 503, 200, "away", "away", "away"])
      yield* Effect.zipRight(Effect.fork(send()), TestClock.adjust("5 seconds"))
      expect(items.traces.sent).toBe(2)
      yield* Effect.zipRight(Effect.fork(send()), TestClock.adjust("5 seconds"))
      expect(lines).toEqual([away("it cannot be reached", dropped(2))])
    })
  )

  it.effect("that takes some requests and not others is said to be back only when nothing is dropped any more", () =>
    Effect.gen(function* () {
      const { lines, send } = watched(Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? 400 : 200)))
      yield* Effect.forEach(Array.from({ length: 20 }), () => Effect.zipRight(send(), TestClock.adjust("40 seconds")))
      expect(lines).toEqual([away("it answers with 400", dropped(2))])
    })
  )

  it.effect("that is slow is asked six times at once, and what is dropped is told of when it keeps up again", () =>
    Effect.gen(function* () {
      const gates = yield* Effect.replicateEffect(Deferred.make<void>(), 6)
      const { items, lines, send } = watched([...gates, 200])
      for (const _ of gates) yield* Effect.zipRight(Effect.fork(send()), Effect.yieldNow())
      expect(lines).toEqual([])
      yield* send("metrics")
      yield* send("logs")
      expect(lines).toEqual([away("6 requests wait for its answers", dropped(0, 2))])
      yield* Effect.forEach(gates, (gate) => Deferred.succeed(gate, undefined))
      yield* TestClock.adjust("1 minute")
      yield* send()
      expect(lines.slice(1)).toEqual([back(dropped(0, 0, 2))])
      expect([items.traces.sent, items.metrics.dropped, items.logs.dropped]).toEqual([14, 2, 2])
    })
  )

  it.effect("that never answers is given up", () =>
    Effect.gen(function* () {
      const { lines, send } = watched(yield* Effect.replicateEffect(Deferred.make<void>(), 3))
      yield* Effect.zipRight(Effect.fork(send()), TestClock.adjust("1 minute"))
      expect(lines).toEqual([away("it does not answer in time", dropped(2))])
    })
  )

  it.effect("that takes everything is not told of", () =>
    Effect.gen(function* () {
      const { lines, send } = watched([200, 201, 202])
      yield* Effect.repeatN(send(), 2)
      expect(lines).toEqual([])
    })
  )
})
