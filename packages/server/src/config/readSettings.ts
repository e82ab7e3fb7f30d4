/** Reads the settings from their sources, in this order of precedence: command line, environment, configuration file, defaults. */
import { didYouMean } from "@sibyl/core/internal"
import { Either } from "effect"
import { InvalidConfiguration } from "../output/failure.ts"
import { environmentName, otherVariables, settingOfVariable } from "./environmentNames.ts"
import { readValue, refusalText, type SettingKind } from "./settingKind.ts"
import { isSettingName, type SettingName, settingNames, settings, type SettingValues } from "./settings.ts"

/** Where settings come from. */
export interface SettingSources {
  /** From the command line: the text of each setting, by its name. */
  readonly flags: Readonly<Record<string, string>>
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The configuration file, when there is one. */
  readonly file?: { readonly path: string; readonly json: unknown } | undefined
}

/** The source of a value. */
export type Origin = "flag" | "environment" | "file" | "default"

/** The effective settings, and where each came from. */
export interface ReadSettings {
  readonly values: SettingValues
  readonly origins: ReadonlyMap<SettingName, Origin>
}

type Result<A> = Either.Either<A, InvalidConfiguration>

/** One value with the name under which it was given. */
interface Given {
  readonly name: SettingName
  readonly field: string
  readonly json: unknown
}

const invalid = (field: string, rule: string, message: string): Either.Either<never, InvalidConfiguration> =>
  Either.left(new InvalidConfiguration({ field, rule, message }))

const noSetting = (field: string, hint: string): Either.Either<never, InvalidConfiguration> =>
  invalid(field, "the name of a setting", `${field} is not a setting${hint}`)

/** The name by which a setting of the command line is told: its own flag, where it has one. */
const flagName = (name: SettingName): string => {
  const { flag } = settings[name]
  return flag === undefined ? name : `--${flag}`
}

const fromFlags = (flags: SettingSources["flags"]): Result<ReadonlyArray<Given>> =>
  Either.all(
    Object.entries(flags).map(([name, text]): Result<Given> =>
      isSettingName(name)
        ? Either.right({ name, field: flagName(name), json: settings[name].kind.fromText(text) })
        : noSetting(name, didYouMean(name, settingNames))
    )
  )

const fromEnvironment = (environment: SettingSources["environment"]): Result<ReadonlyArray<Given>> => {
  const given: Array<Given> = []
  for (const [variable, value] of Object.entries(environment)) {
    if (!variable.startsWith("SIBYL_") || value === undefined || otherVariables.includes(variable)) continue
    const name = settingOfVariable.get(variable)
    if (name === undefined) {
      return noSetting(variable, didYouMean(variable, [...settingOfVariable.keys(), ...otherVariables]))
    }
    given.push({ name, field: variable, json: settings[name].kind.fromText(value) })
  }
  return Either.right(given)
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const groups = new Set(settingNames.flatMap((name) => (name.includes(".") ? [name.slice(0, name.indexOf("."))] : [])))

const fromObject = (object: Readonly<Record<string, unknown>>, group: string): Result<ReadonlyArray<Given>> =>
  Either.map(
    Either.all(
      Object.entries(object).map(([key, json]): Result<ReadonlyArray<Given>> => {
        const name = `${group}${key}`
        if (isSettingName(name)) return Either.right([{ name, field: name, json }])
        if (group !== "" || !groups.has(key)) return noSetting(name, didYouMean(name, [...settingNames, ...groups]))
        return isObject(json) ? fromObject(json, `${key}.`) : invalid(key, "an object", `${key} must be an object of settings`)
      })
    ),
    (lists) => lists.flat()
  )

const fromFile = (file: SettingSources["file"]): Result<ReadonlyArray<Given>> => {
  if (file === undefined) return Either.right([])
  const read = isObject(file.json) ? fromObject(file.json, "") : invalid(file.path, "an object", "the whole must be one JSON object")
  return Either.mapLeft(read, ({ field, message, rule }) => new InvalidConfiguration({ field, rule, message: `${file.path}: ${message}` }))
}

const shown = (kind: SettingKind<unknown>, json: unknown): string => {
  if (kind.secret === true) return ""
  const text = JSON.stringify(json) ?? "nothing"
  return `, not ${text.length > 60 ? `${text.slice(0, 59)}…` : text}`
}

const decoded = ({ field, json, name }: Given, where: string): Result<unknown> => {
  const kind: SettingKind<unknown> = settings[name].kind
  return Either.orElse(readValue(kind, json), (refused) =>
    invalid(field, refused.rule, refusalText(`${where}${field}`, refused, shown(kind, json)))
  )
}

/** Both name the database: both in one source is an error; one in a higher source replaces the other. */
const alternatives: Readonly<Partial<Record<SettingName, SettingName>>> = {
  database: "databaseFile",
  databaseFile: "database"
}

const contradiction = (given: ReadonlyArray<Given>): Either.Either<void, InvalidConfiguration> => {
  const clash = given.find(({ name }) => name === "databaseFile")
  if (clash === undefined || !given.some(({ name }) => name === "database")) return Either.void
  const rule = "given without database"
  return invalid(clash.field, rule, `${clash.field} must be ${rule}: only one of them can name the database`)
}

/** Reads every source; higher ones win. A value that is overridden must still be valid. */
export const readSettings = (sources: SettingSources): Result<ReadSettings> =>
  Either.gen(function* () {
    const levels: ReadonlyArray<readonly [Origin, ReadonlyArray<Given>]> = [
      ["file", yield* fromFile(sources.file)],
      ["environment", yield* fromEnvironment(sources.environment)],
      ["flag", yield* fromFlags(sources.flags)]
    ]
    const values: Partial<Record<SettingName, unknown>> = {}
    const origins = new Map<SettingName, Origin>(settingNames.map((name) => [name, "default"]))
    for (const [origin, given] of levels) {
      yield* contradiction(given)
      for (const one of given) {
        const value = yield* decoded(one, origin === "file" ? `${sources.file?.path}: ` : "")
        const other = alternatives[one.name]
        if (other !== undefined) {
          delete values[other]
          origins.set(other, "default")
        }
        values[one.name] = value
        origins.set(one.name, origin)
      }
    }
    // Each value was decoded by its own setting's kind.
    return { values: values as SettingValues, origins }
  })

/** Where a value came from, as a person would look for it. */
export const originText = (name: SettingName, origin: Origin, filePath: string | undefined): string => {
  if (origin === "environment") return environmentName(name)
  if (origin === "flag") return "command line"
  return origin === "file" ? (filePath ?? "file") : "default"
}
