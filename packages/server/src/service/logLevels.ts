/** The levels of the log by the names that settings have. */
import { Layer, Logger, LogLevel } from "effect"

const levels = { debug: LogLevel.Debug, info: LogLevel.Info, warn: LogLevel.Warning, error: LogLevel.Error } as const

/** What is below the level is not logged; without one, Effect's own bound holds, which is `info`. */
export const layerLogLevel = (level: keyof typeof levels | undefined): Layer.Layer<never> =>
  level === undefined ? Layer.empty : Logger.minimumLogLevel(levels[level])
