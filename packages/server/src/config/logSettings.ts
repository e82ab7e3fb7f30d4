/** The settings that give parts of the log levels of their own. */
import { type LogPart, logParts } from "@sibyl/core/internal"
import { type Setting, setting } from "./setting.ts"
import * as Kind from "./settingKind.ts"

/** The levels of the log, the least important first. */
export const levelNames = ["debug", "info", "warn", "error"] as const

/** A level by name. */
export type LevelName = (typeof levelNames)[number]

/** Levels by part. */
export type LogLevels = { readonly [Part in LogPart]?: LevelName }

const parts = Object.keys(logParts) as ReadonlyArray<LogPart>

/** The settings by name. */
export const logSettings = Object.fromEntries(
  parts.map((part) => [
    `logLevels.${part}`,
    setting(Kind.choice(...levelNames), `what is logged of this part: ${logParts[part]}`, "as logLevel says")
  ])
) as { readonly [Part in LogPart as `logLevels.${Part}`]: Setting<LevelName> }

/** The levels that were given. */
export const logLevelsOf = (values: { readonly [Part in LogPart as `logLevels.${Part}`]?: LevelName }): LogLevels =>
  Object.fromEntries(
    parts.flatMap((part) => {
      const level = values[`logLevels.${part}`]
      return level === undefined ? [] : [[part, level]]
    })
  )
