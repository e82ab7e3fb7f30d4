/** Whether each request and each run is a line of the log, and how such a line is written. */
import { Context, Effect } from "effect"
import { type LogPart, logPart } from "../../domain/settings/logPart.ts"

/** What a line tells beside its message. */
export type LineFields = Readonly<Record<string, string | number>>

/** A line of the log about one request or one run. */
export interface AccessLine {
  readonly part: LogPart
  readonly message: string
  readonly fields: LineFields
}

/** What {@link AccessLog} is. */
export interface AccessLogging {
  /** Whether there are such lines. */
  readonly isOn: boolean
  /** Writes a line at level info, within the caller's span. */
  readonly write: (line: AccessLine) => Effect.Effect<void>
}

/** Each line goes to the loggers of the fiber: an entry of some 30 µs under load. Whoever knows where lines go can write them for less. */
const logged = ({ fields, message, part }: AccessLine): Effect.Effect<void> =>
  Effect.annotateLogs(Effect.logInfo(message), { ...logPart(part), ...fields })

/** Without one provided, nothing is logged: a service that is embedded logs only what its operator must know. */
export class AccessLog extends Context.Reference<AccessLog>()("@sibyl/core/AccessLog", {
  defaultValue: (): AccessLogging => ({ isOn: false, write: () => Effect.void })
}) {
  /** Lines for the loggers of each fiber, or none. */
  static readonly toLoggers = (isOn: boolean): AccessLogging => ({ isOn, write: isOn ? logged : () => Effect.void })
}
