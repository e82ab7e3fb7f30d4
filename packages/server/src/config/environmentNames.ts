/** The environment variables of the settings: `limits.feedOverlap` is `SIBYL_LIMITS_FEED_OVERLAP`. */
import { type SettingName, settingNames } from "./settings.ts"

/** The environment variable of a setting. */
export const environmentName = (name: string): string =>
  `SIBYL_${name
    .replaceAll(".", "_")
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toUpperCase()}`

/** Variables that are not server settings: the configuration file's path, and the options of `sibyl feed`. */
export const otherVariables: ReadonlyArray<string> = ["SIBYL_CONFIG", "SIBYL_URL", "SIBYL_KEY"]

/** The settings by their variables. */
export const settingOfVariable: ReadonlyMap<string, SettingName> = new Map(settingNames.map((name) => [environmentName(name), name]))
