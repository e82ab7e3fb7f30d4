/** A collector of OTLP over HTTP, which keeps what it is sent. */
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"

/** A value as OTLP writes it in JSON. */
interface Written {
  readonly stringValue?: string
  readonly intValue?: number | string
  readonly doubleValue?: number
  readonly boolValue?: boolean
}

interface Attribute {
  readonly key: string
  readonly value: Written
}

/** A span as it arrived. */
export interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: ReadonlyArray<Attribute>
  readonly links: ReadonlyArray<{ readonly traceId: string; readonly spanId: string }>
}

/** A log record as it arrived. */
export interface ReceivedRecord {
  readonly severityText: string
  readonly traceId?: string
  readonly body: Written
  readonly attributes: ReadonlyArray<Attribute>
}

/** A collector that is up. */
export interface Collector {
  readonly url: string
  readonly spans: Array<ReceivedSpan>
  readonly records: Array<ReceivedRecord>
  /** The latest value of each series, by its name and its labels' values. */
  readonly metrics: Map<string, number>
  readonly headers: Array<IncomingHttpHeaders>
  /** The processes that have sent spans of a name, by their instance ids. */
  readonly senders: (spanName: string) => ReadonlySet<string>
  /** From now on nothing is answered. */
  readonly hold: () => void
  readonly close: () => Promise<void>
}

/** Attributes by name. */
export const attributesOf = ({ attributes }: { readonly attributes: ReadonlyArray<Attribute> }): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

interface Point {
  readonly attributes: ReadonlyArray<Attribute>
  readonly asDouble?: number
  readonly asInt?: number
  readonly count?: number
}

interface Message {
  readonly resourceSpans?: ReadonlyArray<{
    readonly resource: { readonly attributes: ReadonlyArray<Attribute> }
    readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<ReceivedSpan> }>
  }>
  readonly resourceLogs?: ReadonlyArray<{ readonly scopeLogs: ReadonlyArray<{ readonly logRecords: ReadonlyArray<ReceivedRecord> }> }>
  readonly resourceMetrics?: ReadonlyArray<{
    readonly scopeMetrics: ReadonlyArray<{
      readonly metrics: ReadonlyArray<
        { readonly name: string } & Record<"sum" | "gauge" | "histogram", { readonly dataPoints: ReadonlyArray<Point> } | undefined>
      >
    }>
  }>
}

/** Starts a collector on loopback. */
export const startCollector = async (): Promise<Collector> => {
  const kept = {
    spans: Array<ReceivedSpan>(),
    records: Array<ReceivedRecord>(),
    metrics: new Map<string, number>(),
    headers: Array<IncomingHttpHeaders>()
  }
  const senders = new Map<string, Set<string>>()
  const take = ({ resourceLogs = [], resourceMetrics = [], resourceSpans = [] }: Message): void => {
    for (const { resource, scopeSpans } of resourceSpans) {
      const spans = scopeSpans.flatMap((scope) => scope.spans)
      kept.spans.push(...spans)
      const sender = String(attributesOf(resource)["service.instance.id"])
      for (const { name } of spans) senders.set(name, (senders.get(name) ?? new Set()).add(sender))
    }
    kept.records.push(...resourceLogs.flatMap(({ scopeLogs }) => scopeLogs).flatMap(({ logRecords }) => logRecords))
    for (const { gauge, histogram, name, sum } of resourceMetrics
      .flatMap(({ scopeMetrics }) => scopeMetrics)
      .flatMap(({ metrics }) => metrics)) {
      for (const point of (sum ?? gauge ?? histogram)?.dataPoints ?? []) {
        const labels = point.attributes.map(({ value }) => value.stringValue ?? "").join(",")
        kept.metrics.set(`${name}{${labels}}`, point.count ?? point.asDouble ?? point.asInt ?? 0)
      }
    }
  }
  let isHolding = false
  const server = createServer((request, response) => {
    kept.headers.push(request.headers)
    const parts: Array<Buffer> = []
    request.on("data", (part: Buffer) => parts.push(part))
    request.on("end", () => {
      take(JSON.parse(Buffer.concat(parts).toString("utf8")) as Message)
      if (!isHolding) response.writeHead(200, { "content-type": "application/json" }).end("{}")
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    ...kept,
    senders: (spanName) => senders.get(spanName) ?? new Set(),
    hold: () => {
      isHolding = true
    },
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}
