/** What a store refuses, by the option that was typed: the stores have names of their own for settings. */
import { InvalidSetting } from "@sibyl/core"
import { Effect } from "effect"
import { UsageError } from "../output/failure.ts"

const options: Readonly<Record<string, string>> = {
  name: "--name",
  feeCredits: "--fee",
  "gasLimits.exec": "--exec-gas",
  "gasLimits.tally": "--tally-gas",
  allowedPrograms: "--allow",
  allowedHosts: "--allow-host"
}

/** A usage limit may be refused for the gas limits that are changed beside it. */
const usageLimitCredits = "usageLimit.credits"

const nameOf = (setting: string): string => {
  const [, list = setting] = /^(.+)\[\d+\]$/.exec(setting) ?? []
  return options[list] ?? setting.replace(/^limits\./, "--limit ")
}

const refused = (field: string, rule: string, what: string): UsageError =>
  new UsageError({ field, rule: rule.replace(/^must be /, ""), message: `${what} ${rule}` })

const usageErrorOf = ({ field, rule }: InvalidSetting): UsageError =>
  field === usageLimitCredits
    ? refused("--usage-limit", rule, "the credits of the usage limit (--usage-limit)")
    : refused(nameOf(field), rule, nameOf(field))

/** The same work; a value that breaks a rule of the stores is a wrong use of its option. */
export const namingOptions = <A, E, R>(work: Effect.Effect<A, E | InvalidSetting, R>): Effect.Effect<A, E | UsageError, R> =>
  Effect.mapError(work, (error): E | UsageError => (error instanceof InvalidSetting ? usageErrorOf(error) : error))
