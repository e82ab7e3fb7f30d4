/** A collector that is away is told of once, and when it is back, so is what it has missed. */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { Effect, HashMap, Logger } from "effect"
import { expect, test } from "vitest"
import { collectorClient } from "./collectorClient.ts"
import { SentItems } from "./sentItems.ts"

/** A collector with these answers, one after the other, and what is logged of it. Each request has two spans. */
const sendAll = async (statuses: ReadonlyArray<number>) => {
  const lines: Array<readonly [string, Record<string, unknown>]> = []
  const logger = Logger.make<unknown, void>(({ annotations, message }) => {
    const { part: _part, ...facts } = Object.fromEntries(HashMap.toEntries(annotations))
    lines.push([String(message), facts])
  })
  const answers = [...statuses]
  const inner = HttpClient.make((request) =>
    Effect.sync(() => HttpClientResponse.fromWeb(request, new Response("", { status: answers.shift() ?? 500 })))
  )
  const traces = new SentItems()
  const client = collectorClient(inner, {
    origin: "http://collector",
    ended: (_request, isTaken) => traces.ended(2, isTaken),
    dropped: () => ({ traces: traces.dropped, metrics: 0, logs: 0 })
  })
  const send = Effect.ignore(client.execute(HttpClientRequest.post("http://collector/v1/traces")))
  await Effect.runPromise(
    Effect.provide(
      Effect.forEach(statuses, () => send),
      Logger.replace(Logger.defaultLogger, logger)
    )
  )
  return { lines, sent: traces.sent }
}

test("a line when it goes away, and one with what was dropped when it comes back, each time anew", async () => {
  const { lines, sent } = await sendAll([200, 400, 400, 200, 200, 400, 200])
  const away = ["telemetry cannot be sent to http://collector; it is dropped until it can", {}]
  const back = (droppedSpans: number) => [
    "telemetry is sent to http://collector again",
    { droppedSpans, droppedMetrics: 0, droppedRecords: 0 }
  ]
  expect(lines).toEqual([away, back(4), away, back(2)])
  expect(sent).toBe(8)
})

test("nothing is said of a collector that takes everything", async () => {
  expect((await sendAll([200, 201, 202])).lines).toEqual([])
})
