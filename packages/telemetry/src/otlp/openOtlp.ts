/** Pushes traces, metrics and logs to a collector, beside the work of the service: a collector that is away or slow costs it nothing. */
import { randomUUID } from "node:crypto"
import * as OtlpLogger from "@effect/opentelemetry/OtlpLogger"
import * as OtlpMetrics from "@effect/opentelemetry/OtlpMetrics"
import { OtlpSerialization } from "@effect/opentelemetry/OtlpSerialization"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import type { MetricsKept } from "@sibyl/core"
import { Context, Effect, Layer, Logger, Redacted, type Scope } from "effect"
import { cleanLog, type Mask } from "../logs/cleanLog.ts"
import type { WriteLine } from "../logs/jsonLine.ts"
import { processMetricList } from "../process/processMetricList.ts"
import { collectorClient } from "./collectorClient.ts"
import { countedSerialization } from "./countedSerialization.ts"
import { lineRecord } from "./lineRecord.ts"
import type { OtlpOptions } from "./otlpOptions.ts"
import { recordExporter } from "./recordExporter.ts"
import { sampledTracer } from "./sampledTracer.ts"
import { SentItems, type Signal } from "./sentItems.ts"
import { spanRecord } from "./spanRecord.ts"

/** Gauges are read this often, so that what is sent is as old at most. */
const readEveryMs = 1_000

/** The way to a collector. */
export interface Otlp {
  /** A tracer and a logger that push, for a service. */
  readonly layer: Layer.Layer<never>
  /** Pushes a line of the log that goes past the loggers, and has no secrets. */
  readonly pushLine: WriteLine
}

const signals: ReadonlyArray<Signal> = ["traces", "metrics", "logs"]

const counted = (items: Readonly<Record<Signal, SentItems>>, metrics: MetricsKept) =>
  Effect.forEach(signals, (signal) =>
    Effect.acquireRelease(
      Effect.sync(() => [
        metrics.read(processMetricList.pushed, () => items[signal].sent, signal, "sent"),
        metrics.read(processMetricList.pushed, () => items[signal].dropped, signal, "dropped")
      ]),
      (ends) => Effect.sync(() => ends.forEach((end) => end()))
    )
  )

/** Where each signal of this process is pushed to, under which name, and how often. */
const addressing = ({
  endpoint,
  headers = {},
  intervalMs = 5_000,
  serviceName = "sibyl",
  serviceVersion,
  shutdownMs = 3_000
}: OtlpOptions) => {
  // The processes of one server measure each for themselves.
  const instance = randomUUID()
  return (signal: Signal) => ({
    url: `${endpoint.replace(/\/+$/, "")}/v1/${signal}`,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Redacted.value(value)])),
    resource: { serviceName, serviceVersion, attributes: { "service.instance.id": instance } },
    exportInterval: intervalMs,
    shutdownTimeout: shutdownMs
  })
}

/** Reads the gauges again and again until the scope closes, and then once more. */
const readOften = (metrics: MetricsKept) => {
  const read = Effect.sync(() => void metrics.series())
  // Added last, it runs first on the way out.
  return Effect.zipRight(
    Effect.addFinalizer(() => read),
    Effect.forkScoped(Effect.forever(Effect.zipRight(read, Effect.sleep(readEveryMs))))
  )
}

/**
 * Opens the way to the collector until the scope closes, which sends what is left. The requests go past the policy for programs'
 * requests, which neither allows nor refuses them, and are in no trace. `metrics`: what is measured, if anything is; `mask` takes secrets out of logs.
 */
export const openOtlp = (options: OtlpOptions, mask: Mask, metrics: MetricsKept | undefined): Effect.Effect<Otlp, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { endpoint, keeps = () => true, sampleRatio = 1, timeoutMs = 10_000 } = options
    const items = { traces: new SentItems(), metrics: new SentItems(), logs: new SentItems() }
    const { carries, countOf, serialization } = countedSerialization(items, mask)
    const client = collectorClient(yield* HttpClient.HttpClient, {
      origin: new URL(endpoint).origin,
      timeoutMs,
      ended: ({ body }, isTaken) => {
        const of = countOf(body)
        if (of !== undefined) items[of.signal].ended(of.count, isTaken)
      },
      dropped: () => ({ traces: items.traces.dropped, metrics: items.metrics.dropped, logs: items.logs.dropped })
    })
    const parts = Context.make(HttpClient.HttpClient, client).pipe(Context.add(OtlpSerialization, serialization))
    const to = addressing(options)
    const exporterOf = (signal: "logs" | "traces") => {
      const { exportInterval, headers, resource, shutdownTimeout, url } = to(signal)
      return recordExporter({
        signal,
        client,
        url,
        headers,
        resource,
        intervalMs: exportInterval,
        shutdownMs: shutdownTimeout,
        carries: (body, count) => carries(body, signal, count),
        dropped: () => items[signal].ended(1, false)
      })
    }
    const pushSpan = yield* exporterOf("traces")
    const records = yield* Effect.provide(OtlpLogger.make({ ...to("logs"), excludeLogSpans: true }), parts)
    if (metrics !== undefined) {
      yield* Effect.provide(OtlpMetrics.make(to("metrics")), parts)
      yield* counted(items, metrics)
      yield* readOften(metrics)
    }
    const logger = Logger.make<unknown, void>((entry) => {
      if (!keeps(entry)) return
      items.logs.made()
      records.log(cleanLog(entry, mask))
    })
    const recordOf = spanRecord(mask)
    const tracer = sampledTracer(sampleRatio, (span, end) => pushSpan(() => recordOf(span, end)))
    const pushRecord = yield* exporterOf("logs")
    const pushLine: WriteLine = (head, part, fields) => pushRecord(() => lineRecord(head, part, fields))
    return { layer: Layer.merge(Layer.setTracer(tracer), Logger.add(logger)), pushLine }
  }).pipe(Effect.provide(FetchHttpClient.layer))
