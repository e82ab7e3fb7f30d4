/** What observes a server: its log, and the collector that its telemetry is pushed to. */
import { type LogFormat, logLines, type Mask, openOtlp, type OtlpOptions } from "@sibyl/telemetry"
import { Effect, FiberRef, HashSet, Layer, Logger, Redacted, type Scope } from "effect"
import type { Configuration, OtlpConfiguration } from "../config/configuration.ts"
import { given } from "../config/given.ts"
import { serverVersion } from "../output/version.ts"
import { withoutKeys } from "../output/withoutKeys.ts"
import { measuring } from "../service/measuring.ts"

/** What is needed of a configuration. */
export type ObservedConfiguration = Pick<Configuration, "cluster" | "database" | "logFormat" | "logLevel" | "metrics" | "otlp" | "outbound">

const levels = ["debug", "info", "warn", "error"] as const

/** Whether what has this level is logged. */
export const isTold = ({ logLevel = "info" }: Pick<Configuration, "logLevel">, level: (typeof levels)[number]): boolean =>
  levels.indexOf(level) >= levels.indexOf(logLevel)

/** Shorter texts are not taken for a secret: they would be found everywhere. */
const leastSecretChars = 6

const passwordIn = (address: string): ReadonlyArray<string> => {
  if (!URL.canParse(address)) return []
  const { password } = new URL(address)
  return [password, decodeURIComponent(password)]
}

const headerValues = (headers: Redacted.Redacted | undefined): ReadonlyArray<string> =>
  headers === undefined ? [] : Object.values(headersOf(headers)).map((value) => Redacted.value(value))

/** The secrets of a configuration: whatever library has one in its error, it is not logged. */
const secretsOf = ({ cluster, database, metrics, otlp, outbound }: ObservedConfiguration): ReadonlyArray<string> => {
  const nats = cluster?.nats
  const hidden = [metrics.token, nats?.password, nats?.token, nats?.nkeySeed].flatMap((secret) =>
    secret === undefined ? [] : [Redacted.value(secret)]
  )
  const address = Redacted.value(database)
  const ofHosts = Object.values(outbound.hostHeaders ?? {}).flatMap((headers) => Object.values(headers))
  const passwords = address.startsWith("postgres") ? [address, ...passwordIn(address)] : []
  return [...hidden, ...passwords, ...ofHosts, ...headerValues(otlp?.headers)].filter((text) => text.length >= leastSecretChars)
}

/** Takes keys, and the secrets of the configuration, out of a text. */
export const maskOf = (configuration: ObservedConfiguration): Mask => {
  // The longest first: one may be part of another.
  const secrets = secretsOf(configuration).toSorted((one, other) => other.length - one.length)
  return (text) => secrets.reduce((masked, secret) => masked.replaceAll(secret, "<secret>"), withoutKeys(text))
}

const formatOf = ({ logFormat }: Pick<Configuration, "logFormat">): LogFormat => logFormat ?? (process.stderr.isTTY ? "pretty" : "json")

const headersOf = (headers: Redacted.Redacted): Readonly<Record<string, Redacted.Redacted>> =>
  Object.fromEntries(
    Redacted.value(headers)
      .split(",")
      .flatMap((header) => {
        const at = header.indexOf("=")
        return at < 1 ? [] : [[header.slice(0, at).trim().toLowerCase(), Redacted.make(decodedHeader(header.slice(at + 1).trim()))]]
      })
  )

/** Values are percent-encoded where they have characters that a list cannot hold. */
const decodedHeader = (value: string): string => {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

const otlpOptions = ({ endpoint, headers, intervalMs, samplePercent, serviceName }: OtlpConfiguration): OtlpOptions => ({
  endpoint,
  serviceVersion: serverVersion,
  ...given({
    headers: headers === undefined ? undefined : headersOf(headers),
    intervalMs,
    sampleRatio: samplePercent === undefined ? undefined : samplePercent / 100,
    serviceName
  })
})

/** The loggers and the tracer of a server, until the scope closes; then what is left is sent. */
export const observe = (configuration: ObservedConfiguration): Effect.Effect<Layer.Layer<never>, never, Scope.Scope> => {
  const mask = maskOf(configuration)
  const log = Logger.replace(Logger.defaultLogger, logLines(formatOf(configuration), mask))
  const { otlp } = configuration
  return otlp === undefined
    ? Effect.succeed(log)
    : Effect.map(logged(configuration, openOtlp(otlpOptions(otlp), mask, measuring())), (pushed) => Layer.merge(log, pushed))
}

/** The effect with the server's log, for what is outside of the service itself. */
export const logged = <A, E, R>(configuration: ObservedConfiguration, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.locally(effect, FiberRef.currentLoggers, HashSet.make(logLines(formatOf(configuration), maskOf(configuration))))
