/** The record of a line that did not come from a logger, as text: an object for each of its parts, kept until it is sent, costs several times as much. */
import { withoutOrders } from "../logs/cleanLog.ts"
import type { LineFields, LineHead } from "../logs/jsonLine.ts"
import { beforeValue } from "./beforeValue.ts"

/** The number and the name of each level (OTLP, "Severity fields"), as loggers have them. */
const severities: Readonly<Record<string, string>> = {
  trace: '{"severityNumber":1,"severityText":"TRACE"',
  debug: '{"severityNumber":5,"severityText":"DEBUG"',
  info: '{"severityNumber":9,"severityText":"INFO"',
  warn: '{"severityNumber":13,"severityText":"WARN"',
  error: '{"severityNumber":17,"severityText":"ERROR"',
  fatal: '{"severityNumber":21,"severityText":"FATAL"'
}

const shown = (text: string, isPlain: boolean): string => (isPlain ? `"${text}"` : JSON.stringify(withoutOrders(text)))

const attributeOf = (name: string, value: string | number, isPlain: boolean): string => {
  if (typeof value === "string") return `${beforeValue.text(name)}${shown(value, isPlain)}}}`
  return Number.isInteger(value) ? `${beforeValue.integer(name)}${value}}}` : `${beforeValue.number(name)}${JSON.stringify(value)}}}`
}

/** As OTLP has it in JSON, with nothing in it that a terminal would obey; secrets are still in it. */
export const lineRecord = ({ atMs, isPlain = false, level, message, span }: LineHead, part: string, fields: LineFields): string => {
  let attributes = `{"key":"part","value":{"stringValue":"${part}"}}`
  for (const name of Object.keys(fields)) attributes += attributeOf(name, fields[name] ?? "", isPlain)
  const times = `"timeUnixNano":"${atMs}000000","observedTimeUnixNano":"${atMs}000000"`
  const trace = span === undefined ? "" : `,"traceId":"${span.traceId}","spanId":"${span.spanId}"`
  const body = `"body":{"stringValue":${shown(message, isPlain)}},"droppedAttributesCount":0`
  return `${severities[level] ?? severities["info"]},${times},"attributes":[${attributes}],${body}${trace}}`
}
