/** A log entry as one line of JSON. */
import { Array as Arr, Context, FiberRef, FiberRefs, HashMap, type Logger, Option, Tracer } from "effect"

/** The span in which something was logged. */
const spanOf = ({ context }: Logger.Logger.Options<unknown>): Option.Option<Tracer.AnySpan> =>
  Context.getOption(FiberRefs.getOrDefault(context, FiberRef.currentContext), Tracer.ParentSpan)

const textOf = (part: unknown): string => (typeof part === "string" ? part : (JSON.stringify(part) ?? String(part)))

/** The line, without its end: `time` (ISO 8601), `level`, `message`, `trace_id` and `span_id` of a traced entry, `fields`. */
export const jsonLine = (entry: Logger.Logger.Options<unknown>): string => {
  const span = Option.getOrUndefined(spanOf(entry))
  const fields = Object.fromEntries(HashMap.toEntries(entry.annotations))
  return JSON.stringify({
    time: entry.date.toISOString(),
    level: entry.logLevel.label.toLowerCase(),
    message: Arr.ensure(entry.message).map(textOf).join(" "),
    ...(span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId }),
    ...(Object.keys(fields).length === 0 ? {} : { fields })
  })
}
