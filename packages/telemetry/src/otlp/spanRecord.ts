/** The record of a span as text: most have succeeded, and a few plain attributes; for those no object is made, of the others a whole one. */
import { Option } from "effect"
import { byName } from "../logs/byName.ts"
import type { Mask } from "../logs/cleanLog.ts"
import { notPlain } from "../logs/plainText.ts"
import { beforeValue } from "./beforeValue.ts"
import type { RecordedSpan, SpanEnd } from "./recordedSpan.ts"
import { kindNumbers, wholeSpan } from "./wholeSpan.ts"

/** Attributes, each behind a comma, and all texts that are in their values. */
interface Written {
  readonly attributes: string
  readonly texts: string
}

/** `undefined` if one of them needs more than quotes. */
const attributesOf = (span: RecordedSpan, isClean: (name: string) => boolean): Written | undefined => {
  let attributes = ""
  let texts = span.name
  for (const [name, value] of span.attributes) {
    if (!isClean(name)) return undefined
    if (typeof value === "string") {
      // With a space: behind a letter of another text, a secret may not be found.
      texts += ` ${value}`
      attributes += `${beforeValue.text(name)}"${value}"}}`
    } else if (typeof value === "boolean") attributes += `${beforeValue.boolean(name)}${value}}}`
    else if (Number.isInteger(value)) attributes += `${beforeValue.integer(name)}${String(value)}}}`
    else return undefined
  }
  return { attributes, texts }
}

const hasSucceeded = ({ events, links }: RecordedSpan, { exit }: SpanEnd): boolean =>
  exit._tag === "Success" && events.length === 0 && links.length === 0

const textOf = (span: RecordedSpan, { endTime, startTime }: SpanEnd, attributes: string): string => {
  const parent = Option.isSome(span.parent) ? `,"parentSpanId":"${span.parent.value.spanId}"` : ""
  return (
    `{"traceId":"${span.traceId}","spanId":"${span.spanId}"${parent},"name":"${span.name}","kind":${kindNumbers[span.kind]}` +
    `,"startTimeUnixNano":"${startTime}","endTimeUnixNano":"${endTime}","attributes":[${attributes.slice(1)}],"droppedAttributesCount":0` +
    `,"events":[],"droppedEventsCount":0,"status":{"code":1},"links":[],"droppedLinksCount":0}`
  )
}

/** As OTLP has it in JSON, without secrets. */
export const spanRecord = (mask: Mask): ((span: RecordedSpan, end: SpanEnd) => string) => {
  const named = byName((name) => ({ isClean: mask(name) === name }))
  const isClean = (name: string): boolean => named(name).isClean
  return (span, end) => {
    const written = hasSucceeded(span, end) ? attributesOf(span, isClean) : undefined
    return written === undefined || notPlain.test(written.texts) || mask(written.texts) !== written.texts
      ? mask(JSON.stringify(wholeSpan(span, end)))
      : textOf(span, end, written.attributes)
  }
}
