/** A log entry as one line of JSON. */
import { Array as Arr, Cause, Context, FiberRef, FiberRefs, type Logger, Option, Tracer } from "effect"
import { type Mask, withoutOrders } from "./cleanLog.ts"

/** What JSON has no form for. */
const written = (_name: string, value: unknown): unknown => {
  if (typeof value === "bigint") return String(value)
  return value instanceof Error ? `${value.name}: ${value.message}` : value
}

/** A value as JSON; of one that has none, its type. */
const jsonOf = (value: unknown): string => {
  try {
    return JSON.stringify(value, written) ?? `"${typeof value}"`
  } catch {
    return `"${typeof value}"`
  }
}

const textOf = (part: unknown): string => (typeof part === "string" ? part : jsonOf(part))

/** What a line has before its fields. */
export interface LineHead {
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number
  readonly level: string
  readonly message: string
  readonly span: Tracer.AnySpan | undefined
  /** Whether it is known that each of its texts, in quotes, is JSON that a terminal can be shown. */
  readonly isPlain?: boolean
}

/** What a line has in its `fields`. */
export type LineFields = Readonly<Record<string, string | number>>

/** Takes a line about this part of the service, the first of its fields, that goes past the loggers. */
export type WriteLine = (head: LineHead, part: string, fields: LineFields) => void

let lastSecond = Number.NaN
let lastText = ""

/** ISO 8601; lines of the same second share all but the milliseconds. */
const timeText = (atMs: number): string => {
  const second = Math.floor(atMs / 1_000)
  if (second !== lastSecond) {
    lastText = new Date(second * 1_000).toISOString().slice(0, -"000Z".length)
    lastSecond = second
  }
  return `${lastText}${String(Math.floor(atMs) - second * 1_000).padStart(3, "0")}Z`
}

/**
 * The line, without its end: `time` (ISO 8601), `level`, `message`, `trace_id` and `span_id` of a traced entry, and `fields`, which are the
 * members of a JSON object. `clean` is called with all of it.
 */
export const lineOf = ({ atMs, isPlain = false, level, message, span }: LineHead, fields: string, clean: Mask): string => {
  const trace = span === undefined ? "" : `,"trace_id":"${span.traceId}","span_id":"${span.spanId}"`
  const head = `{"time":"${timeText(atMs)}","level":"${level}","message":${isPlain ? `"${message}"` : JSON.stringify(message)}`
  return clean(`${head}${trace}${fields === "" ? "" : `,"fields":{${fields}}`}}`)
}

/** The span in which an entry was made. */
const spanOf = ({ context }: Logger.Logger.Options<unknown>): Tracer.AnySpan | undefined =>
  Option.getOrUndefined(Context.getOption(FiberRefs.getOrDefault(context, FiberRef.currentContext), Tracer.ParentSpan))

/**
 * The line of an entry. It is masked as a whole, which takes half of the time of masking each text in it: a mask must not take quotes out, and
 * knows secrets as JSON escapes them.
 */
export const jsonLine = (entry: Logger.Logger.Options<unknown>, mask: Mask): string => {
  const failed = Cause.isEmpty(entry.cause) ? [] : [Cause.pretty(entry.cause, { renderErrorCause: true })]
  const message = [...Arr.ensure(entry.message).map(textOf), ...failed].join(" ")
  let fields = ""
  for (const [name, value] of entry.annotations) fields += `${fields === "" ? "" : ","}${JSON.stringify(name)}:${jsonOf(value)}`
  const head = { atMs: entry.date.getTime(), level: entry.logLevel.label.toLowerCase(), message, span: spanOf(entry) }
  return lineOf(head, fields, (line) => withoutOrders(mask(line)))
}
