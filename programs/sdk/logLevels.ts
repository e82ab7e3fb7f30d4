/** Log lines by level. A line costs 1 T gas; one below the current level costs almost nothing. */
import { writeLine } from "./process"

/** The severity of a line. `Off` is above all of them. */
export enum LogLevel {
  Debug,
  Info,
  Warn,
  Error,
  Off
}

let lowest: LogLevel = LogLevel.Info

/** Sets the level below which lines are not written. The default is `Info`. */
export function setLogLevel(level: LogLevel): void {
  lowest = level
}

/** Whether lines of this level are written; useful before building an expensive text. */
export function logs(level: LogLevel): bool {
  return level >= lowest
}

/** A line on stdout. */
export function logDebug(text: string): void {
  if (logs(LogLevel.Debug)) writeLine(1, "debug " + text)
}

/** A line on stdout. */
export function logInfo(text: string): void {
  if (logs(LogLevel.Info)) writeLine(1, "info  " + text)
}

/** A line on stderr. */
export function logWarn(text: string): void {
  if (logs(LogLevel.Warn)) writeLine(2, "warn  " + text)
}

/** A line on stderr; the program continues. */
export function logError(text: string): void {
  if (logs(LogLevel.Error)) writeLine(2, "error " + text)
}
