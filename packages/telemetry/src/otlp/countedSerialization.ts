/** How telemetry is written (JSON, without secrets), with a note of how much each request to the collector carries. */
import * as HttpBody from "@effect/platform/HttpBody"
import type { Context } from "effect"
import type { OtlpSerialization } from "@effect/opentelemetry/OtlpSerialization"
import type { Mask } from "../logs/cleanLog.ts"
import type { SentItems, Signal } from "./sentItems.ts"

/** The items of a request, by its body. */
export type CountOfBody = (body: HttpBody.HttpBody) => { readonly signal: Signal; readonly count: number } | undefined

interface Packed {
  readonly resourceLogs?: ReadonlyArray<{ readonly scopeLogs: ReadonlyArray<{ readonly logRecords: ReadonlyArray<unknown> }> }>
}

const recordsIn = ({ resourceLogs = [] }: Packed): number =>
  resourceLogs.flatMap(({ scopeLogs }) => scopeLogs).reduce((sum, { logRecords }) => sum + logRecords.length, 0)

/** The serialization, and how to note and to look up what a body carries. */
export interface CountedSerialization {
  readonly serialization: Context.Tag.Service<OtlpSerialization>
  readonly carries: (body: HttpBody.HttpBody, signal: Signal, count: number) => void
  readonly countOf: CountOfBody
}

/** Counts into these items; `mask` takes secrets out of all that is written. */
export const countedSerialization = (items: Readonly<Record<Signal, SentItems>>, mask: Mask): CountedSerialization => {
  const counts = new WeakMap<HttpBody.HttpBody, { readonly signal: Signal; readonly count: number }>()
  const packed = (signal: Signal, count: number, data: unknown): HttpBody.HttpBody => {
    items[signal].packed(count)
    // What has failed is told with its error, whoever wrote that.
    const body = HttpBody.text(mask(JSON.stringify(data)), "application/json")
    counts.set(body, { signal, count })
    return body
  }
  return {
    serialization: {
      // Spans are written one by one when they end.
      traces: () => HttpBody.empty,
      logs: (data) => packed("logs", recordsIn(data as Packed), data),
      metrics: (data) => packed("metrics", 1, data)
    },
    carries: (body, signal, count) => void counts.set(body, { signal, count }),
    countOf: (body) => counts.get(body)
  }
}
