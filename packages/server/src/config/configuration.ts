/** A server's configuration: its validated settings, with defaults filled in and secrets read. */
import { join, resolve } from "node:path"
import { type Limits, localNetwork, type ServiceOptions, type Tariff } from "@sibyl/core"
import type { NatsOptions } from "@sibyl/cluster"
import type { LogFormat } from "@sibyl/telemetry"
import type { OutboundOptions } from "@sibyl/vm/http"
import { Redacted } from "effect"
import { given } from "./given.ts"
import { type LevelName, type LogLevels, logLevelsOf } from "./logSettings.ts"
import type { ReadSettings } from "./readSettings.ts"
import { settingNames, type SettingValues } from "./settings.ts"

/** How a process takes part in a cluster. */
export interface ClusterConfiguration {
  readonly nats: NatsOptions
  readonly net: string
  readonly zone: string
}

/** Who may read a server's metrics, and where. */
export interface MetricsConfiguration {
  /** Absent: a demonstration shows its metrics, any other server does not. */
  readonly access: "off" | "open" | "token" | undefined
  readonly token: Redacted.Redacted | undefined
  /** Absent: on the service's own port. */
  readonly own: { readonly host: string; readonly port: number } | undefined
}

/** A collector, and what it is sent. */
export interface OtlpConfiguration {
  readonly endpoint: string
  /** Names and values as in `OTEL_EXPORTER_OTLP_HEADERS`: `name=value,name=value`. */
  readonly headers: Redacted.Redacted | undefined
  readonly serviceName: string | undefined
  readonly samplePercent: number | undefined
  readonly intervalMs: number | undefined
  readonly timeoutMs: number | undefined
}

/** Everything a server or a command needs to know. */
export interface Configuration {
  readonly settings: ReadSettings
  /** The configuration file that was read, if any. */
  readonly file: string | undefined
  readonly host: string
  readonly port: number
  /** The path prefix; empty for the root. */
  readonly prefix: string
  /** The data folder, absolute. */
  readonly data: string
  /** `sqlite:` and an absolute path, or a PostgreSQL address. */
  readonly database: Redacted.Redacted
  readonly databaseConnections: number | undefined
  readonly service: Omit<ServiceOptions, "serverVersion">
  readonly tariff: Partial<Tariff>
  readonly outbound: OutboundOptions
  /** Processes that serve on one port; 1: the server is one process. */
  readonly edges: number
  /** Whether the console is served. */
  readonly console: boolean
  readonly workers: number | undefined
  /** What workers are; a server's are processes unless it is told otherwise. */
  readonly isolation: "thread" | "process"
  readonly workerMemoryMib: number | undefined
  readonly signInThreads: boolean | undefined
  /** Where programs run, if not in this process. */
  readonly cluster: ClusterConfiguration | undefined
  /** Runs that an executor has at once. */
  readonly places: number | undefined
  readonly logLevel: LevelName | undefined
  /** The levels of parts of the log that differ from it. */
  readonly logLevels: LogLevels
  /** Absent: for people where standard error is a terminal, for machines elsewhere. */
  readonly logFormat: LogFormat | undefined
  /** Where telemetry is pushed to, if anywhere. */
  readonly otlp: OtlpConfiguration | undefined
  readonly metrics: MetricsConfiguration
}

/** What must be read from elsewhere to complete a configuration. */
export interface FetchedSecrets {
  readonly database: Redacted.Redacted | undefined
  readonly hostHeaders: OutboundOptions["hostHeaders"]
  readonly extraCaPem: ReadonlyArray<string> | undefined
}

const databaseOf = (address: Redacted.Redacted | undefined, data: string): Redacted.Redacted => {
  const text = address === undefined ? undefined : Redacted.value(address)
  if (text === undefined) return Redacted.make(`sqlite:${join(data, "sibyl.sqlite")}`)
  return Redacted.make(text.startsWith("sqlite:") ? `sqlite:${resolve(text.slice("sqlite:".length))}` : text)
}

const limitsOf = (values: SettingValues): Partial<Limits> =>
  Object.fromEntries(
    settingNames.flatMap((name) =>
      name.startsWith("limits.") && values[name] !== undefined ? [[name.slice("limits.".length), values[name]]] : []
    )
  )

const clusterOf = (values: SettingValues): ClusterConfiguration | undefined => {
  const servers = values["cluster.servers"]
  if (servers === undefined) return undefined
  const tls = given({ caFile: values["cluster.caFile"], certFile: values["cluster.certFile"], keyFile: values["cluster.keyFile"] })
  const nats = {
    servers,
    ...given({
      user: values["cluster.user"],
      password: values["cluster.password"],
      token: values["cluster.token"],
      nkeySeed: values["cluster.nkeySeed"],
      credentialsFile: values["cluster.credentialsFile"]
    }),
    ...(Object.keys(tls).length === 0 ? {} : { tls })
  }
  return { nats, net: values["cluster.net"] ?? "default", zone: values["cluster.zone"] ?? "" }
}

const metricsOf = (values: SettingValues): MetricsConfiguration => {
  const token = values["metrics.token"]
  const port = values["metrics.port"]
  return {
    access: values["metrics.access"] ?? (token === undefined ? undefined : "token"),
    token,
    own: port === undefined ? undefined : { host: values["metrics.host"] ?? "127.0.0.1", port }
  }
}

const otlpOf = (values: SettingValues): OtlpConfiguration | undefined => {
  const endpoint = values["otlp.endpoint"]
  if (endpoint === undefined) return undefined
  return {
    endpoint,
    headers: values["otlp.headers"],
    serviceName: values["otlp.serviceName"],
    samplePercent: values["otlp.samplePercent"],
    intervalMs: values["otlp.intervalMs"],
    timeoutMs: values["otlp.timeoutMs"]
  }
}

/** Every service option that a setting provides; the type demands a setting for each new option. */
type PlainOption = Exclude<keyof ServiceOptions, "network" | "limits" | "serverVersion" | "exampleRequests">

/** Fills in the defaults. */
export const configurationOf = (settings: ReadSettings, file: string | undefined, secrets: FetchedSecrets): Configuration => {
  const { values } = settings
  const data = resolve(values.data ?? ".sibyl")
  return {
    settings,
    file,
    host: values.host ?? "127.0.0.1",
    port: values.port ?? 8717,
    prefix: values.prefix ?? "",
    data,
    database: databaseOf(values.database ?? secrets.database, data),
    databaseConnections: values.databaseConnections,
    service: {
      network: { name: values.network ?? localNetwork.name, chainId: values.chainId ?? localNetwork.chainId },
      limits: limitsOf(values),
      ...given({
        profile: values.profile,
        payloadField: values.payloadField,
        debugBeside: values.debugBeside,
        lastResultRefresh: values.lastResultRefresh,
        allowedOrigins: values.allowedOrigins,
        maxRunsInFlight: values.maxRunsInFlight,
        keepRecordings: values.keepRecordings,
        replicationFactor: values.replicationFactor,
        consensusFilter: values.consensusFilter,
        reportsPerProject: values.reportsPerProject,
        retentionMs: values.retention
      } satisfies Record<PlainOption, unknown>)
    },
    tariff: given({
      baseCredits: values["tariff.base"],
      gasPerCredit: values["tariff.gasPerCredit"],
      gasPerWorkerMs: values["tariff.gasPerWorkerMs"]
    }),
    outbound: given({
      allowHosts: values["outbound.allowHosts"],
      dnsServers: values["outbound.dnsServers"],
      hostOverrides: values["outbound.hostOverrides"],
      hostHeaders: secrets.hostHeaders,
      extraCaPem: secrets.extraCaPem,
      requestsPerHost: values["outbound.requestsPerHost"],
      failuresToRest: values["outbound.failuresToRest"],
      traceHosts: values["otlp.traceHosts"]
    }),
    edges: values.edges ?? 1,
    console: values.console ?? true,
    workers: values.workers,
    isolation: values.isolation ?? "process",
    workerMemoryMib: values.workerMemoryMib,
    signInThreads: values.signInThreads,
    cluster: clusterOf(values),
    places: values["cluster.places"],
    logLevel: values.logLevel,
    logLevels: logLevelsOf(values),
    logFormat: values.logFormat,
    otlp: otlpOf(values),
    metrics: metricsOf(values)
  }
}
