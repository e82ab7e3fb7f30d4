/** Logs that something did not work which nobody waits for: work in the background, and what is told to no client. */
import { type Cause, Effect, LogLevel } from "effect"
import { type LogPart, logPart } from "../../domain/settings/logPart.ts"
import { storeUnavailableIn } from "../storeUnavailable.ts"
import { StoreOutage } from "./storeOutage.ts"

/** Where the line belongs, and how bad a fault is. */
export interface FailedWork {
  readonly part?: LogPart
  /** The level of what is no outage. Default: a warning. */
  readonly fault?: LogLevel.LogLevel
}

/**
 * One line about a store that is away, for the first work of this kind in an outage: that is foreseen, and no fault of ours, whose place in the
 * code somebody would look for. Of anything else, the whole cause, each time.
 */
export const logFailed = (
  what: string,
  cause: Cause.Cause<unknown>,
  { fault = LogLevel.Warning, part }: FailedWork = {}
): Effect.Effect<void> => {
  const away = storeUnavailableIn(cause)
  const line =
    away === undefined ? Effect.logWithLevel(fault, what, cause) : Effect.flatMap(StoreOutage, ({ met }) => met(what, away.message))
  return part === undefined ? line : Effect.annotateLogs(line, logPart(part))
}
