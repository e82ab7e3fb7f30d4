/** Reads a project's settings from the options of `sibyl project create` and `update`. */
import { defaultLimits, type SettingChanges } from "@sibyl/core"
import { hostPatternRule, readHostPattern } from "@sibyl/core/internal"
import { Either, Option } from "effect"
import { given } from "../config/given.ts"
import { amountRule, readAmount } from "../input/amount.ts"
import { type Asked, asked, refusedValue } from "../input/asked.ts"
import { readUsageLimit, usageLimitRule } from "../input/usageLimit.ts"

/** The options as typed; options that were not given are absent. */
export interface ProjectOptions {
  readonly name: Option.Option<string>
  readonly execGas: Option.Option<string>
  readonly tallyGas: Option.Option<string>
  readonly usageLimit: Option.Option<string>
  readonly allow: ReadonlyArray<string>
  readonly allowHost: ReadonlyArray<string>
  readonly limit: ReadonlyArray<string>
}

const optional = <A>(text: Option.Option<string>, read: (text: string) => Asked<A>): Asked<A | undefined> =>
  Option.match(text, { onNone: () => Either.right(undefined), onSome: read })

const gas = (field: string, text: Option.Option<string>): Asked<bigint | undefined> =>
  optional(text, (given) => asked(field, amountRule, given, readAmount))

/** `any` and `none` stand alone; the store checks the others. */
const allowList = (option: string, allow: ReadonlyArray<string>, entries: string): Asked<ReadonlyArray<string> | null | undefined> => {
  if (allow.length === 0) return Either.right(undefined)
  const word = allow.find((one) => one === "any" || one === "none")
  if (word === undefined) return Either.right(allow)
  if (allow.length > 1) {
    return Either.left(refusedValue(option, `either ${entries}, or any, or none`, allow.join(" ")))
  }
  return Either.right(word === "any" ? null : [])
}

/** The rule begins with "must be". */
const askedHost = (host: string): Asked<string> =>
  asked("--allow-host", hostPatternRule.replace(/^must be /, ""), host, (given) => Option.fromNullable(readHostPattern(given)))

const isBig = (name: string): boolean => typeof Object.entries(defaultLimits).find(([known]) => known === name)?.[1] === "bigint"

/** `name=value`; the store checks the name and the value's range. `default` resets it to the service's value. */
const limitOf = (text: string): Asked<readonly [string, number | bigint | null]> => {
  const [, name = "", value = ""] = /^([A-Za-z]+)=(default|[0-9]{1,30})$/.exec(text) ?? []
  if (name === "") return Either.left(refusedValue("--limit", "name=number or name=default", text))
  if (value === "default") return Either.right([name, null])
  return Either.right([name, isBig(name) ? BigInt(value) : Number(value)])
}

/** The changes that were asked for. */
export const projectChanges = (options: ProjectOptions): Asked<SettingChanges & { readonly name?: string | null }> =>
  Either.gen(function* () {
    const exec = yield* gas("--exec-gas", options.execGas)
    const tally = yield* gas("--tally-gas", options.tallyGas)
    const usageLimit = yield* optional(options.usageLimit, (text) => asked("--usage-limit", usageLimitRule, text, readUsageLimit))
    const allowedPrograms = yield* allowList("--allow", options.allow, "program ids")
    const allowedHosts = yield* allowList("--allow-host", options.allowHost, "hosts")
    yield* Either.all((allowedHosts ?? []).map(askedHost))
    const limits = yield* Either.all(options.limit.map(limitOf))
    return given({
      name: Option.getOrUndefined(options.name),
      gasLimits: exec === undefined && tally === undefined ? undefined : given({ exec, tally }),
      usageLimit,
      allowedPrograms,
      allowedHosts,
      limits: limits.length === 0 ? undefined : Object.fromEntries(limits)
    })
  })
