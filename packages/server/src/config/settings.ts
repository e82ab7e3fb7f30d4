/** Every setting of a server, by name. */
import { defaultLimits, type Limits } from "@sibyl/core"
import { leastOfLimit, mostOfLimit } from "@sibyl/core/internal"
import { clusterSettings } from "./clusterSettings.ts"
import { logSettings } from "./logSettings.ts"
import { serverSettings } from "./serverSettings.ts"
import type { Setting, ValueOf } from "./setting.ts"
import * as Kind from "./settingKind.ts"

type LimitName = keyof Limits

const limitSetting = (name: LimitName): Setting<number | bigint> => ({
  kind: typeof defaultLimits[name] === "bigint" ? Kind.credits(0n) : Kind.wholeNumber(leastOfLimit(name), mostOfLimit(name)),
  meaning:
    name === "httpPrefetches"
      ? "prefetched requests of one run that may be outstanding at once; 0 switches prefetching off"
      : "a limit of an execution, a request or a connection",
  otherwise: String(defaultLimits[name])
})

const limitNames = Object.keys(defaultLimits) as ReadonlyArray<LimitName>

const limitSettings = Object.fromEntries(limitNames.map((name) => [`limits.${name}`, limitSetting(name)])) as {
  readonly [Name in LimitName as `limits.${Name}`]: Setting<Limits[Name]>
}

/** The settings by name. */
export const settings = { ...serverSettings, ...logSettings, ...clusterSettings, ...limitSettings }

/** The name of a setting. */
export type SettingName = keyof typeof settings

/** The names in their order. */
export const settingNames = Object.keys(settings) as ReadonlyArray<SettingName>

/** The given values; settings that were not given are absent. */
export type SettingValues = { readonly [Name in SettingName]?: ValueOf<(typeof settings)[Name]> }

/** Whether there is a setting of this name. */
export const isSettingName = (name: string): name is SettingName => Object.hasOwn(settings, name)
