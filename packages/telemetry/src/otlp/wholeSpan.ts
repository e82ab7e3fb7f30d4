/** A span as OTLP has it in JSON, whatever it has. */
import { entriesToAttributes } from "@effect/opentelemetry/OtlpResource"
import { Cause, Option, type Tracer } from "effect"
import type { RecordedSpan, SpanEnd, SpanEvent } from "./recordedSpan.ts"

/** The number of each kind (OTLP, "SpanKind"). */
export const kindNumbers: Readonly<Record<Tracer.SpanKind, number>> = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 }

/** The numbers of how a span ended (OTLP, "Status"). */
const statusCodes = { ok: 1, error: 2 } as const

const eventOf = ({ atNanos, attributes, name }: SpanEvent) => ({
  name,
  timeUnixNano: String(atNanos),
  attributes: entriesToAttributes(Object.entries(attributes)),
  droppedAttributesCount: 0
})

const linkOf = ({ attributes, span }: Tracer.SpanLink) => ({
  traceId: span.traceId,
  spanId: span.spanId,
  attributes: entriesToAttributes(Object.entries(attributes)),
  droppedAttributesCount: 0
})

/** An error by the names that OpenTelemetry gives to what is known of one. */
const exceptionOf = (cause: Cause.Cause<unknown>, atNanos: bigint, { message, name }: Cause.PrettyError): SpanEvent => ({
  name: "exception",
  atNanos,
  attributes: {
    "exception.type": name,
    "exception.message": message,
    "exception.stacktrace": Cause.pretty(cause, { renderErrorCause: true })
  }
})

const howItEnded = ({ endTime, exit }: SpanEnd) => {
  if (exit._tag === "Success") return { status: { code: statusCodes.ok }, exceptions: [] }
  if (Cause.isInterruptedOnly(exit.cause)) {
    return { status: { code: statusCodes.ok, message: Cause.pretty(exit.cause) }, exceptions: [] }
  }
  const [first] = Cause.prettyErrors(exit.cause)
  if (first === undefined) return { status: { code: statusCodes.error }, exceptions: [] }
  return { status: { code: statusCodes.error, message: first.message }, exceptions: [exceptionOf(exit.cause, endTime, first)] }
}

/** With all texts as they are. */
export const wholeSpan = (span: RecordedSpan, end: SpanEnd) => {
  const { exceptions, status } = howItEnded(end)
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: Option.isSome(span.parent) ? span.parent.value.spanId : undefined,
    name: span.name,
    kind: kindNumbers[span.kind],
    startTimeUnixNano: String(end.startTime),
    endTimeUnixNano: String(end.endTime),
    attributes: entriesToAttributes(span.attributes),
    droppedAttributesCount: 0,
    events: [...span.events, ...exceptions].map(eventOf),
    droppedEventsCount: 0,
    status,
    links: span.links.map(linkOf),
    droppedLinksCount: 0
  }
}
