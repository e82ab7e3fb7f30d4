/** What observes a server: its log, and the collector that its telemetry is pushed to. */
import { AccessLog, type LogPart } from "@sibyl/core/internal"
import { cleanLines, jsonLineWriter, type LogFormat, logLines, openOtlp, type OtlpOptions, type WriteLine } from "@sibyl/telemetry"
import { Effect, FiberRef, HashSet, Layer, Logger, Redacted, type Scope } from "effect"
import type { Configuration, OtlpConfiguration } from "../config/configuration.ts"
import { accessLines } from "./accessLines.ts"
import { given } from "../config/given.ts"
import { hideSecrets } from "../config/hideSecrets.ts"
import { readOtlpHeaders } from "../config/otlpHeaders.ts"
import { serverVersion } from "../output/version.ts"
import { withoutSecrets } from "../output/withoutSecrets.ts"
import { isTold, type KeepsEntry, keepsEntry } from "./keptEntries.ts"
import { measuring } from "../service/measuring.ts"

/** What is needed of a configuration. */
export type ObservedConfiguration = Pick<
  Configuration,
  "cluster" | "database" | "logFormat" | "logLevel" | "logLevels" | "metrics" | "otlp" | "outbound"
>

const formatOf = ({ logFormat }: Pick<Configuration, "logFormat">): LogFormat => logFormat ?? (process.stderr.isTTY ? "pretty" : "json")

const headersOf = (headers: Redacted.Redacted): Readonly<Record<string, Redacted.Redacted>> =>
  Object.fromEntries((readOtlpHeaders(Redacted.value(headers)) ?? []).map(([name, value]) => [name, Redacted.make(value)]))

const otlpOptions = (
  { endpoint, headers, intervalMs, samplePercent, serviceName, timeoutMs }: OtlpConfiguration,
  keeps: KeepsEntry
): OtlpOptions => ({
  endpoint,
  keeps,
  serviceVersion: serverVersion,
  ...given({
    headers: headers === undefined ? undefined : headersOf(headers),
    intervalMs,
    sampleRatio: samplePercent === undefined ? undefined : samplePercent / 100,
    serviceName,
    timeoutMs
  })
})

const keptLines = (configuration: ObservedConfiguration): Logger.Logger<unknown, void> => {
  const keeps = keepsEntry(configuration)
  const lines = logLines(formatOf(configuration), withoutSecrets)
  return Logger.make((entry) => (keeps(entry) ? lines.log(entry) : undefined))
}

/** Lines about requests and runs, to standard error and to the collector if there is one; in another form than JSON they are entries. */
const ownAccessLines = (configuration: ObservedConfiguration, pushLine?: WriteLine): Layer.Layer<never> => {
  const parts = (["requests", "runs"] as const).filter((part) => isTold(configuration, part, "info"))
  if (parts.length === 0 || formatOf(configuration) !== "json") return Layer.empty
  const kept = new Set<LogPart>(parts)
  const writeLine = jsonLineWriter()
  const write = cleanLines(withoutSecrets, (head, part, fields) => {
    writeLine(head, part, fields)
    pushLine?.(head, part, fields)
  })
  return Layer.succeed(
    AccessLog,
    accessLines((part) => kept.has(part), write)
  )
}

/** The loggers and the tracer of a server, until the scope closes; then what is left is sent. */
export const observe = (configuration: ObservedConfiguration): Effect.Effect<Layer.Layer<never>, never, Scope.Scope> => {
  hideSecrets(configuration)
  const keeps = keepsEntry(configuration)
  const log = Logger.replace(Logger.defaultLogger, keptLines(configuration))
  const { otlp } = configuration
  return otlp === undefined
    ? Effect.succeed(Layer.merge(log, ownAccessLines(configuration)))
    : Effect.map(logged(configuration, openOtlp(otlpOptions(otlp, keeps), withoutSecrets, measuring())), ({ layer, pushLine }) =>
        Layer.mergeAll(log, layer, ownAccessLines(configuration, pushLine))
      )
}

/** The effect with the server's log, for what is outside of the service itself. */
export const logged = <A, E, R>(configuration: ObservedConfiguration, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
  hideSecrets(configuration)
  return Effect.locally(effect, FiberRef.currentLoggers, HashSet.make(keptLines(configuration)))
}
