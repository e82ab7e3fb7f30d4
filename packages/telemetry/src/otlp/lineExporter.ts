/** Sends the lines that go past the loggers to the collector, many at once. */
import * as OtlpResource from "@effect/opentelemetry/OtlpResource"
import * as HttpBody from "@effect/platform/HttpBody"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { Effect, FiberSet, type Scope } from "effect"
import type { WriteLine } from "../logs/jsonLine.ts"
import { lineRecord } from "./lineRecord.ts"
import { type Batch, RecordBatch } from "./recordBatch.ts"

/** How long nothing is sent after a failure, as the exporters of the other signals have it. */
const offMs = 60_000

/** Where the lines go, and who hears of it. */
export interface LineExporterOptions {
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

/** Pushes lines, which must have no secrets, until the scope closes, which sends what is left. */
export const lineExporter = (options: LineExporterOptions): Effect.Effect<WriteLine, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { carries, client, dropped, headers, intervalMs, shutdownMs, url } = options
    const resource = JSON.stringify(yield* OtlpResource.fromConfig(options.resource))
    const scope = JSON.stringify({ name: options.resource.serviceName })
    const batch = new RecordBatch(`{"resourceLogs":[{"resource":${resource},"scopeLogs":[{"scope":${scope},"logRecords":[`, "]}]}]}")
    const clock = yield* Effect.clock
    let offUntilMs = 0
    const send = ({ bytes, count }: Batch): Effect.Effect<void> => {
      const body = HttpBody.uint8Array(bytes, "application/json")
      carries(body, count)
      return client.execute(HttpClientRequest.post(url, { headers, body })).pipe(
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
    return (head, part, fields) => {
      if (offUntilMs > 0 && clock.unsafeCurrentTimeMillis() < offUntilMs) return dropped()
      if (batch.add(lineRecord(head, part, fields))) fork(sendAll)
    }
  })
