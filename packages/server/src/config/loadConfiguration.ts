/** Reads the configuration of this process: its file, its environment, its flags, and the secrets they point at. */
import { access } from "node:fs/promises"
import { resolveOptions } from "@sibyl/core/internal"
import type { OutboundOptions } from "@sibyl/vm/http"
import { Effect, Either, Redacted } from "effect"
import { readSettingWithin } from "../output/readWithin.ts"
import { InvalidConfiguration } from "../output/failure.ts"
import { isNoFile, notRead } from "../output/fileReason.ts"
import { type Configuration, configurationOf } from "./configuration.ts"
import { hideSecrets } from "./hideSecrets.ts"
import { readSettings, type SettingSources } from "./readSettings.ts"
import { database, readValue, refusalText, type SecretReference } from "./settingKind.ts"
import type { SettingValues } from "./settings.ts"

/** The command line's part of the configuration. */
export interface ConfigurationFlags {
  /** The configuration file, if one was named. */
  readonly config: string | undefined
  /** The text of each setting that was given, by its name. */
  readonly settings: Readonly<Record<string, string>>
  /** What is wrong with the options themselves, such as a setting in two of them. */
  readonly fault?: InvalidConfiguration | undefined
}

/** The file that is read if none is named and it exists. */
export const usualFile = "sibyl.json"

const reading = (field: string, path: string): Effect.Effect<string, InvalidConfiguration> =>
  Effect.tryPromise({
    try: () => readSettingWithin(path),
    catch: (cause) =>
      new InvalidConfiguration({
        field,
        rule: "a file that can be read",
        message: `${field}: ${notRead(path, cause)}`
      })
  })

const parsed = (path: string, text: string): Effect.Effect<unknown, InvalidConfiguration> =>
  Effect.try({
    try: () => JSON.parse(text) as unknown,
    catch: (cause) =>
      new InvalidConfiguration({
        field: path,
        rule: "JSON",
        message: `${path} must be JSON: ${cause instanceof Error ? cause.message : String(cause)}`
      })
  })

const readFileOf = (path: string, field: string) =>
  Effect.flatMap(reading(field, path), (text) => Effect.map(parsed(path, text), (json) => ({ path, json })))

/** A named file must exist; the default one need not. */
const configurationFile = (
  named: string | undefined,
  environment: SettingSources["environment"]
): Effect.Effect<SettingSources["file"], InvalidConfiguration> => {
  if (named !== undefined) return readFileOf(named, "--config")
  const variable = environment["SIBYL_CONFIG"]
  if (variable !== undefined && variable !== "") return readFileOf(variable, "SIBYL_CONFIG")
  const isThere = Effect.promise(() =>
    access(usualFile).then(
      () => true,
      (cause: unknown) => !isNoFile(cause)
    )
  )
  return Effect.if(isThere, {
    onTrue: () => readFileOf(usualFile, usualFile),
    onFalse: () => Effect.succeed(undefined)
  })
}

const secretOf = (
  field: string,
  reference: SecretReference,
  environment: SettingSources["environment"]
): Effect.Effect<string, InvalidConfiguration> => {
  if ("file" in reference) return Effect.map(reading(field, reference.file), (text) => text.trim())
  const value = environment[reference.env]
  return value === undefined
    ? Effect.fail(
        new InvalidConfiguration({
          field,
          rule: "an environment variable that is set",
          message: `${field}: the environment variable ${reference.env} is not set`
        })
      )
    : Effect.succeed(value)
}

const headersOf = (
  { "outbound.hostHeaders": references }: SettingValues,
  environment: SettingSources["environment"]
): Effect.Effect<OutboundOptions["hostHeaders"], InvalidConfiguration> =>
  references === undefined
    ? Effect.succeed(undefined)
    : Effect.all(
        Object.fromEntries(
          Object.entries(references).map(([host, headers]) => [
            host,
            Effect.all(
              Object.fromEntries(
                Object.entries(headers).map(([name, reference]) => [
                  name,
                  secretOf(`outbound.hostHeaders.${host}.${name}`, reference, environment)
                ])
              )
            )
          ])
        )
      )

const databaseFromFile = (path: string): Effect.Effect<Redacted.Redacted, InvalidConfiguration> =>
  Effect.flatMap(reading("databaseFile", path), (text) =>
    Effect.mapError(
      Effect.flatten(Effect.succeed(readValue(database, text.trim()))),
      (refused) =>
        new InvalidConfiguration({
          field: "databaseFile",
          rule: refused.rule,
          message: refusalText(`databaseFile: the address in ${path}`, refused)
        })
    )
  )

const authoritiesFromFile = (path: string): Effect.Effect<string, InvalidConfiguration> =>
  Effect.gen(function* () {
    const text = yield* reading("outbound.caFiles", path)
    // The code of outbound requests, which most commands do without.
    const { hasAuthorities } = yield* Effect.promise(() => import("@sibyl/vm/http"))
    if (hasAuthorities(text)) return text
    return yield* new InvalidConfiguration({
      field: "outbound.caFiles",
      rule: "a list of files in PEM form",
      message: `outbound.caFiles: ${path} has no certificates in PEM form, or one that cannot be read`
    })
  })

/** What the variables of OpenTelemetry are called here; ours take precedence. */
const otelNames = [
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "SIBYL_OTLP_ENDPOINT"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "SIBYL_OTLP_HEADERS"],
  ["OTEL_EXPORTER_OTLP_TIMEOUT", "SIBYL_OTLP_TIMEOUT_MS"],
  ["OTEL_SERVICE_NAME", "SIBYL_OTLP_SERVICE_NAME"]
] as const

const withOtelNames = (environment: SettingSources["environment"]): SettingSources["environment"] => ({
  ...Object.fromEntries(otelNames.flatMap(([theirs, ours]) => (environment[theirs] ? [[ours, environment[theirs]]] : []))),
  ...environment
})

/** What is wrong with a value is said of the variable that it came from. */
const saidOfOtelName = (environment: SettingSources["environment"]) => (fault: InvalidConfiguration) => {
  const [theirs, ours] = otelNames.find(([, name]) => name === fault.field) ?? []
  if (theirs === undefined || ours === undefined || environment[ours] !== undefined) return fault
  return new InvalidConfiguration({ field: theirs, rule: fault.rule, message: fault.message.replace(ours, theirs) })
}

/** A token is asked for where one is given, and only there. */
const checkedMetrics = ({ metrics: { access, token } }: Configuration): InvalidConfiguration | undefined => {
  const field = "metrics.access"
  if (access === "token" && token === undefined) {
    return new InvalidConfiguration({
      field,
      rule: "given with metrics.token",
      message: `${field} is token, but there is no metrics.token`
    })
  }
  if (access !== "open" || token === undefined) return undefined
  return new InvalidConfiguration({ field, rule: "token", message: `${field} is open, but there is a metrics.token` })
}

/** Errors that only the service itself detects. */
const checked = (configuration: Configuration): Effect.Effect<Configuration, InvalidConfiguration> =>
  Effect.try({
    try: () => {
      resolveOptions(configuration.service)
      return configuration
    },
    catch: (cause) => {
      const message = cause instanceof Error ? cause.message : String(cause)
      const [field = ""] = message.split(":", 1)
      return new InvalidConfiguration({ field, rule: message.slice(field.length + 2), message })
    }
  })

const absent = Effect.succeed(undefined)

/** The whole configuration, or the first error in it. */
export const loadConfiguration = (
  flags: ConfigurationFlags,
  environment: SettingSources["environment"] = process.env
): Effect.Effect<Configuration, InvalidConfiguration> =>
  Effect.gen(function* () {
    if (flags.fault !== undefined) return yield* flags.fault
    const file = yield* configurationFile(flags.config, environment)
    const sources = { flags: flags.settings, environment: withOtelNames(environment), file }
    const settings = yield* Either.mapLeft(readSettings(sources), saidOfOtelName(environment))
    const { databaseFile, "outbound.caFiles": caFiles } = settings.values
    const secrets = yield* Effect.all({
      database: databaseFile === undefined ? absent : databaseFromFile(databaseFile),
      hostHeaders: headersOf(settings.values, environment),
      extraCaPem: caFiles === undefined ? absent : Effect.forEach(caFiles, authoritiesFromFile)
    })
    const configuration = configurationOf(settings, file?.path, secrets)
    hideSecrets(configuration)
    return yield* checkedMetrics(configuration) ?? checked(configuration)
  })
