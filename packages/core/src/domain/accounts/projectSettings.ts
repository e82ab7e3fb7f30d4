/** The rules for the settings of a project, and how a change is applied. */
import { Either } from "effect"
import { hexIdRule, readHexId } from "../../contract/hexId.ts"
import { hostPatternRule, readHostPattern } from "../settings/hostPattern.ts"
import { InvalidSetting } from "../settings/invalidSetting.ts"
import { defaultLimits, leastOfLimit, type Limits } from "../settings/limits.ts"
import { defaultGasLimits, type GasLimits } from "../settings/gasLimits.ts"
import type { Project, UsageLimit } from "./project.ts"

/** The settings of a project that an operator can change. */
export type ProjectSettings = Pick<Project, "gasLimits" | "usageLimit" | "allowedPrograms" | "allowedHosts" | "limits">

/** The limits that can be set per project. The others apply before the project of a request is known. */
export type ProjectLimit = Exclude<keyof Limits, "urlBytes" | "programBytes">

/** What to change; the rest stays. `null` resets a setting. */
export interface SettingChanges {
  readonly gasLimits?: Partial<GasLimits>
  readonly usageLimit?: UsageLimit | null
  /** Program ids in any form of decision D7. The list replaces the previous one; an empty one allows nothing. */
  readonly allowedPrograms?: ReadonlyArray<string> | null
  /** Exact, or `*.example.com`. The list replaces the previous one; an empty one allows nothing. */
  readonly allowedHosts?: ReadonlyArray<string> | null
  /** By name; `null` goes back to the service's limit. */
  readonly limits?: { readonly [Name in ProjectLimit]?: Limits[Name] | null }
}

/** The settings of a project without any of its own. */
export const defaultSettings: ProjectSettings = {
  gasLimits: defaultGasLimits,
  usageLimit: null,
  allowedPrograms: null,
  allowedHosts: null,
  limits: {}
}

type Checked<A> = Either.Either<A, InvalidSetting>

const refuse = (field: string, rule: string): Checked<never> => Either.left(new InvalidSetting({ field, rule }))

/** Gas counters are signed 64-bit integers in the VM. */
const maxGas = 2n ** 63n - 1n

/** Settings may come from code without types: a number beside a bigint would throw, and a text as an object would be ignored. */
const isBigint = (value: unknown): boolean => typeof value === "bigint"
const isObject = (value: unknown): boolean => typeof value === "object" && value !== null

const checkedGas = (field: string, gas: bigint): Checked<bigint> => {
  if (!isBigint(gas)) return refuse(field, "must be a bigint")
  return gas >= 1n && gas <= maxGas ? Either.right(gas) : refuse(field, `must be an integer from 1 to ${maxGas}`)
}

const checkedGasLimits = (before: GasLimits, changes: Partial<GasLimits>): Checked<GasLimits> => {
  if (!isObject(changes)) return refuse("gasLimits", "must be an object")
  const unknown = Object.keys(changes).find((name) => !Object.hasOwn(before, name))
  if (unknown !== undefined) return refuse(`gasLimits.${unknown}`, "is no gas limit; there are: exec, tally")
  const { exec = before.exec, tally = before.tally } = changes
  return Either.all({ exec: checkedGas("gasLimits.exec", exec), tally: checkedGas("gasLimits.tally", tally) })
}

/** The periods that a usage limit may have: a second to 366 days. */
export const usagePeriodMs = { least: 1_000, most: 31_622_400_000 } as const

const checkedUsageLimit = (limit: UsageLimit | null): Checked<UsageLimit | null> => {
  if (limit === null) return Either.right(null)
  if (!isObject(limit)) return refuse("usageLimit", "must be an object, or null")
  const { credits, periodMs } = limit
  if (!Number.isInteger(periodMs) || periodMs < usagePeriodMs.least || periodMs > usagePeriodMs.most) {
    return refuse("usageLimit.periodMs", `must be an integer from ${usagePeriodMs.least} to ${usagePeriodMs.most}`)
  }
  if (!isBigint(credits)) return refuse("usageLimit.credits", "must be a bigint")
  if (credits < 0n) return refuse("usageLimit.credits", "must not be negative")
  return Either.right({ periodMs, credits })
}

/** The lists are read with every request. */
const maxAllowed = { allowedPrograms: 1_000, allowedHosts: 100 }

/** Each entry in the one form in which it is kept. */
const checkedList = (
  field: keyof typeof maxAllowed,
  list: ReadonlyArray<string> | null,
  read: (text: string) => string | undefined,
  rule: string
): Checked<ReadonlyArray<string> | null> => {
  if (list === null) return Either.right(null)
  if (!Array.isArray(list)) return refuse(field, "must be a list, or null")
  const entries = new Set<string>()
  for (const [index, given] of list.entries()) {
    const entry = typeof given === "string" ? read(given) : undefined
    if (entry === undefined) return refuse(`${field}[${index}]`, rule)
    entries.add(entry)
  }
  return entries.size > maxAllowed[field] ? refuse(field, `must not be more than ${maxAllowed[field]}`) : Either.right([...entries])
}

/** The maximum delay of a timer; also larger than any buffer can be. */
const maxLimit = 2_147_483_647

const limitRule = (name: ProjectLimit, value: number | bigint): string | undefined => {
  if (typeof defaultLimits[name] === "bigint") {
    return typeof value === "bigint" && value >= 0n && value <= maxGas ? undefined : `must be an integer from 0 to ${maxGas}`
  }
  const least = leastOfLimit(name)
  const fits = typeof value === "number" && Number.isInteger(value) && value >= least && value <= maxLimit
  return fits ? undefined : `must be an integer from ${least} to ${maxLimit}`
}

/** Whether `name` is a limit that can be set per project. */
export const isProjectLimit = (name: string): name is ProjectLimit =>
  Object.hasOwn(defaultLimits, name) && name !== "urlBytes" && name !== "programBytes"

const checkedLimits = (before: Partial<Limits>, changes: SettingChanges["limits"] = {}): Checked<Partial<Limits>> => {
  if (!isObject(changes)) return refuse("limits", "must be an object")
  const after = new Map<string, number | bigint>(Object.entries(before))
  for (const [name, value] of Object.entries(changes)) {
    const field = `limits.${name}`
    if (!isProjectLimit(name)) {
      const names = Object.keys(defaultLimits).filter(isProjectLimit).join(", ")
      return refuse(field, `is not a limit of a project; there are: ${names}`)
    }
    if (value === null) {
      after.delete(name)
      continue
    }
    const rule = limitRule(name, value)
    if (rule !== undefined) return refuse(field, rule)
    after.set(name, value)
  }
  return Either.right(Object.fromEntries(after))
}

/** The settings after a change, or the first rule that it breaks. */
export const changedSettings = (before: ProjectSettings, changes: SettingChanges): Checked<ProjectSettings> => {
  const { allowedHosts = before.allowedHosts, allowedPrograms = before.allowedPrograms } = changes
  const { gasLimits = {}, usageLimit = before.usageLimit } = changes
  return Either.all({
    gasLimits: checkedGasLimits(before.gasLimits, gasLimits),
    usageLimit: checkedUsageLimit(usageLimit),
    allowedPrograms: checkedList("allowedPrograms", allowedPrograms, readHexId, hexIdRule),
    allowedHosts: checkedList("allowedHosts", allowedHosts, readHostPattern, hostPatternRule),
    limits: checkedLimits(before.limits, changes.limits)
  })
}
