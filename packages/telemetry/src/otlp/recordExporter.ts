/** Sends records of one signal to the collector, many at once. */
import * as OtlpResource from "@effect/opentelemetry/OtlpResource"
import * as HttpBody from "@effect/platform/HttpBody"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { Effect, FiberSet, type Scope } from "effect"
import { type Batch, RecordBatch } from "./recordBatch.ts"

/** How long nothing is sent after a failure, as the exporters of the other signals have it. */
const offMs = 60_000

/** The members around the records of each signal. */
const members = {
  traces: ["resourceSpans", "scopeSpans", "spans"],
  logs: ["resourceLogs", "scopeLogs", "logRecords"]
} as const

/** Where records go, and who hears of it. */
export interface RecordExporterOptions {
  readonly signal: keyof typeof members
  readonly client: HttpClient.HttpClient
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly resource: Parameters<typeof OtlpResource.fromConfig>[0] & { readonly serviceName: string }
  /** How often what waits is sent, in ms. */
  readonly intervalMs: number
  /** How long the last sending may take, in ms. */
  readonly shutdownMs: number
  /** Of a request's body: how many records it carries. */
  readonly carries: (body: HttpBody.HttpBody, count: number) => void
  /** One record was not even packed, because the last request failed. */
  readonly dropped: () => void
}

/** Takes a record as OTLP has it in JSON, without secrets; it is not asked for while the collector is away. */
export type PushRecord = (record: () => string) => void

/** Pushes records until the scope closes, which sends what is left. */
export const recordExporter = (options: RecordExporterOptions): Effect.Effect<PushRecord, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { carries, client, dropped, headers, intervalMs, shutdownMs, signal, url } = options
    const resource = JSON.stringify(yield* OtlpResource.fromConfig(options.resource))
    const scope = JSON.stringify({ name: options.resource.serviceName })
    const [ofResource, ofScope, records] = members[signal]
    const batch = new RecordBatch(`{"${ofResource}":[{"resource":${resource},"${ofScope}":[{"scope":${scope},"${records}":[`, "]}]}]}")
    const clock = yield* Effect.clock
    let offUntilMs = 0
    const send = (taken: Batch): Effect.Effect<void> => {
      const { bytes, count } = taken
      const body = HttpBody.uint8Array(bytes, "application/json")
      carries(body, count)
      return client.execute(HttpClientRequest.post(url, { headers, body })).pipe(
        Effect.map(() => batch.giveBack(taken)),
        Effect.withTracerEnabled(false),
        Effect.catchAllCause(() => Effect.sync(() => void (offUntilMs = clock.unsafeCurrentTimeMillis() + offMs)))
      )
    }
    const sendAll = Effect.suspend(() => {
      const taken = batch.take()
      return taken === undefined ? Effect.void : send(taken)
    })
    const sending = yield* FiberSet.make()
    const fork = yield* FiberSet.runtime(sending)()
    // Added after the fibers, it runs before they are ended.
    yield* Effect.addFinalizer(() =>
      Effect.zipRight(sendAll, FiberSet.awaitEmpty(sending)).pipe(Effect.interruptible, Effect.timeoutOption(shutdownMs))
    )
    yield* Effect.forkScoped(Effect.forever(Effect.zipRight(Effect.sleep(intervalMs), sendAll)))
    return (record) => {
      if (offUntilMs > 0 && clock.unsafeCurrentTimeMillis() < offUntilMs) return dropped()
      if (batch.add(record())) fork(sendAll)
    }
  })
