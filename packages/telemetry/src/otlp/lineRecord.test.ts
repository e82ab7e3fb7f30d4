/** What is pushed of a line that goes past the loggers is what would be pushed of its entry. */
import * as OtlpLogger from "@effect/opentelemetry/OtlpLogger"
import { OtlpSerialization } from "@effect/opentelemetry/OtlpSerialization"
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { Effect, FiberRef, HashSet, Logger, LogLevel, Tracer } from "effect"
import fc from "fast-check"
import { expect, it } from "vitest"
import { cleanLines } from "../logs/cleanLines.ts"
import { cleanLog } from "../logs/cleanLog.ts"
import type { WriteLine } from "../logs/jsonLine.ts"
import { lineRecord } from "./lineRecord.ts"

const text = fc.oneof(fc.string({ unit: "binary", maxLength: 20 }), fc.constantFrom("\u001b[2J", "\u009b31m", "\u202e", '"\\'))
const fields = fc.dictionary(text, fc.oneof(text, fc.integer(), fc.double()), { maxKeys: 6, noNullPrototype: true })
const span = Tracer.externalSpan({ traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" })

interface Packed {
  readonly resourceLogs: ReadonlyArray<{ readonly scopeLogs: ReadonlyArray<{ readonly logRecords: ReadonlyArray<Sent> }> }>
}

interface Sent {
  readonly timeUnixNano: string
  readonly attributes: ReadonlyArray<{ readonly key: string; readonly value: unknown }>
}

/** The records that the library sends of what is logged. */
const sentOf = async (log: Effect.Effect<void>): Promise<ReadonlyArray<Sent>> => {
  const sent: Array<Sent> = []
  const empty = HttpBody.text("", "application/json")
  const serialization = {
    traces: () => empty,
    metrics: () => empty,
    logs: (data: unknown) => {
      sent.push(...(data as Packed).resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap(({ logRecords }) => logRecords)))
      return empty
    }
  }
  const client = HttpClient.make((request) => Effect.succeed(HttpClientResponse.fromWeb(request, new Response("{}"))))
  const pushed = Effect.gen(function* () {
    const records = yield* OtlpLogger.make({ url: "http://127.0.0.1:1", resource: { serviceName: "sibyl" }, excludeLogSpans: true })
    const logger = Logger.make<unknown, void>((entry) => records.log(cleanLog(entry, (one) => one)))
    yield* Effect.locally(log, FiberRef.currentLoggers, HashSet.make(logger))
  })
  await Effect.runPromise(
    Effect.scoped(pushed).pipe(
      Effect.provideService(HttpClient.HttpClient, client),
      Effect.provideService(OtlpSerialization, serialization)
    )
  )
  return sent
}

/** The same without what says when it was made, and by which fiber; attributes have no order. */
const told = ({ attributes, ...record }: Sent) => ({
  ...record,
  timeUnixNano: "",
  observedTimeUnixNano: "",
  attributes: Object.fromEntries(attributes.filter(({ key }) => key !== "fiberId").map(({ key, value }) => [key, value]))
})

it.each([
  ["in a span", span],
  ["outside of spans", undefined]
] as const)("%s", async (_where, within) => {
  await fc.assert(
    fc.asyncProperty(fields, text, fc.constantFrom(LogLevel.Info, LogLevel.Warning, LogLevel.Fatal), async (given, message, level) => {
      const log = Effect.annotateLogs(Effect.logWithLevel(level, message), { ...given, part: "runs" })
      const sent = await sentOf(within === undefined ? log : Effect.provideService(log, Tracer.ParentSpan, within))
      const head = { atMs: 1_700_000_000_123, level: level.label.toLowerCase(), message, span: within }
      let text = ""
      const take: WriteLine = (...line) => void (text = lineRecord(...line))
      cleanLines((one) => one, take)(head, "runs", given)
      const record = JSON.parse(text) as Sent
      expect(record.timeUnixNano).toBe("1700000000123000000")
      expect([told(record)]).toEqual((JSON.parse(JSON.stringify(sent)) as ReadonlyArray<Sent>).map(told))
    }),
    { numRuns: 50 }
  )
})
