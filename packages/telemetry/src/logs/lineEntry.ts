/** The entry of a line that did not come from a logger: making it through Effect's loggers costs several times as much. */
import { Cause, Context, FiberId, FiberRef, FiberRefs, HashMap, List, type Logger, LogLevel, Tracer } from "effect"
import { withoutOrders } from "./cleanLog.ts"
import type { LineFields, LineHead } from "./jsonLine.ts"

const levels: ReadonlyMap<string, LogLevel.LogLevel> = new Map(LogLevel.allLevels.map((level) => [level.label.toLowerCase(), level]))

const inSpan = (span: Tracer.AnySpan | undefined): FiberRefs.FiberRefs =>
  span === undefined
    ? FiberRefs.empty()
    : FiberRefs.unsafeMake(new Map([[FiberRef.currentContext, [[FiberId.none, Context.make(Tracer.ParentSpan, span)]]]]))

/** The entry, with nothing in it that a terminal would obey; secrets are still in it. */
export const lineEntry = ({ atMs, level, message, span }: LineHead, fields: LineFields): Logger.Logger.Options<unknown> => ({
  annotations: HashMap.fromIterable(
    Object.entries(fields).map(([name, value]) => [name, typeof value === "string" ? withoutOrders(value) : value])
  ),
  cause: Cause.empty,
  context: inSpan(span),
  date: new Date(atMs),
  fiberId: FiberId.none,
  logLevel: levels.get(level) ?? LogLevel.Info,
  message: [withoutOrders(message)],
  spans: List.empty()
})
