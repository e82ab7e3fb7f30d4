/** Log lines by level. A line costs 1 T gas; one below the level set costs next to nothing. */
import { writeLine } from "./process"

/** How much a line matters. `Off` is above all of them. */
export enum LogLevel {
  Debug,
  Info,
  Warn,
  Error,
  Off
}

let lowest: LogLevel = LogLevel.Info

/** From now on, lines below this level are not written. At first it is `Info`. */
export function setLogLevel(level: LogLevel): void {
  lowest = level
}

/** Whether lines of this level are written; worth asking before a costly text is put together. */
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

/** A line on stderr; the program goes on. */
export function logError(text: string): void {
  if (logs(LogLevel.Error)) writeLine(2, "error " + text)
}
