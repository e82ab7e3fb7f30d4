/** Which entries of the log are kept: those of the configured level, which parts may have of their own. */
import type { LogPart } from "@sibyl/core/internal"
import { HashMap, type Logger, LogLevel, Option } from "effect"
import type { Configuration } from "../config/configuration.ts"
import { type LevelName, levelNames } from "../config/logSettings.ts"

/** What is needed of a configuration. */
export type LeveledConfiguration = Pick<Configuration, "logLevel" | "logLevels">

/** Whether an entry is kept. */
export type KeepsEntry = (entry: Logger.Logger.Options<unknown>) => boolean

const levels = { debug: LogLevel.Debug, info: LogLevel.Info, warn: LogLevel.Warning, error: LogLevel.Error } as const

const levelOf = ({ logLevel = "info", logLevels }: LeveledConfiguration, part: LogPart): LevelName => logLevels[part] ?? logLevel

/** Whether what a part tells at this level is logged. */
export const isTold = (configuration: LeveledConfiguration, part: LogPart, level: LevelName): boolean =>
  levelNames.indexOf(level) >= levelNames.indexOf(levelOf(configuration, part))

/** The lowest level of any part: what is below it is never made. `undefined` if nothing says a level. */
export const lowestLevel = ({ logLevel, logLevels }: LeveledConfiguration): LevelName | undefined => {
  const given = Object.values(logLevels)
  return given.length === 0 ? logLevel : levelNames.find((level) => given.includes(level) || level === (logLevel ?? "info"))
}

/** Entries without a part have the level of the whole log. */
export const keepsEntry = ({ logLevel = "info", logLevels }: LeveledConfiguration): KeepsEntry => {
  const ofParts = new Map<unknown, LevelName>(Object.entries(logLevels))
  return ({ annotations, logLevel: level }) => {
    const part = Option.getOrUndefined(HashMap.get(annotations, "part"))
    return LogLevel.greaterThanEqual(level, levels[ofParts.get(part) ?? logLevel])
  }
}
