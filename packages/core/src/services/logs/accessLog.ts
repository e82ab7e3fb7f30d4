/** Whether each request and each run is a line of the log, and how such a line is written. */
import { Clock, Context, Effect, type Fiber, Tracer } from "effect"
import { type LogPart, logPart } from "../../domain/settings/logPart.ts"

/** What a line tells beside its message. */
export type LineFields = Readonly<Record<string, string | number>>

/** A line of the log about one request or one run. */
export interface AccessLine {
  readonly part: LogPart
  readonly message: string
  readonly fields: LineFields
}

/** When and in which span something happened. */
export interface LinePlace {
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number
  readonly span: Tracer.AnySpan | undefined
}

/** What {@link AccessLog} is. */
export interface AccessLogging {
  /** Whether there are such lines. */
  readonly isOn: boolean
  /** Writes a line at level info; answers what is left to do in a fiber with that span, if anything. */
  readonly write: (line: AccessLine, place: LinePlace) => Effect.Effect<void> | undefined
}

/** Each line goes to the loggers of the fiber: an entry of some 30 µs under load. Whoever knows where lines go can write them for less. */
const logged = ({ fields, message, part }: AccessLine, { span }: LinePlace): Effect.Effect<void> => {
  const line = Effect.annotateLogs(Effect.logInfo(message), { ...logPart(part), ...fields })
  // Loggers of others know of a span only in the context.
  return span === undefined ? line : Effect.provideService(line, Tracer.ParentSpan, span)
}

/** Without one provided, nothing is logged: a service that is embedded logs only what its operator must know. */
export class AccessLog extends Context.Reference<AccessLog>()("@sibyl/core/AccessLog", {
  defaultValue: (): AccessLogging => ({ isOn: false, write: () => undefined })
}) {
  /** Lines for the loggers of each fiber, or none. */
  static readonly toLoggers = (isOn: boolean): AccessLogging => ({ isOn, write: isOn ? logged : () => undefined })
}

/** What is known of a fiber: its clock and its span. */
export type LineFiber = Pick<Fiber.RuntimeFiber<unknown, unknown>, "currentDefaultServices" | "currentSpan">

/** Writes a line of now, within the fiber's span; answers what is left to do in that fiber, if anything. */
export const writeLine = (write: AccessLogging["write"], line: AccessLine, fiber: LineFiber): Effect.Effect<void> | undefined => {
  const atMs = Context.unsafeGet(fiber.currentDefaultServices, Clock.Clock).unsafeCurrentTimeMillis()
  return write(line, { atMs, span: fiber.currentSpan })
}
