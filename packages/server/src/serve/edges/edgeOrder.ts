/** What an edge is told to serve: the configuration, with the edge's part of what the edges divide between them. */
import { availableParallelism } from "node:os"
import { resolveOptions } from "@sibyl/core/internal"
import { defaultConnections, leastConnections } from "@sibyl/sql"
import type { OutboundOptions } from "@sibyl/vm/http"
import { Redacted } from "effect"
import { type ClusterMessage, clusterIn, clusterMessage } from "../../config/clusterMessage.ts"
import type { Configuration, MetricsConfiguration } from "../../config/configuration.ts"
import { otlpIn, type OtlpMessage, otlpMessage } from "../../config/otlpMessage.ts"
import type { ServiceConfiguration } from "../openOracle.ts"

/** The configuration as a message. It contains secrets, so it goes over the channel, never on a command line. */
export interface EdgeOrder extends Omit<ServiceConfiguration, "database" | "cluster" | "metrics" | "otlp"> {
  /** Whether it does what is done once for all edges. */
  readonly isFirst: boolean
  readonly database: string
  readonly cluster: ClusterMessage | undefined
  readonly otlp: OtlpMessage | undefined
  readonly metrics: Omit<MetricsConfiguration, "token"> & { readonly token: string | undefined }
}

/** The part of edge `index` (from 0) when `total` is divided as evenly as possible; at least `least`. */
export const partOf = (total: number, edges: number, index: number, least = 1): number =>
  Math.max(least, Math.floor(total / edges) + (index < total % edges ? 1 : 0))

/** The order for edge `index`. `port` is the one to listen on, never 0. */
export const edgeOrder = (configuration: Configuration, outbound: OutboundOptions, port: number, index: number): EdgeOrder => {
  const {
    cluster,
    database,
    databaseConnections,
    edges,
    file: _file,
    metrics,
    otlp,
    service,
    settings: _settings,
    workers,
    ...others
  } = configuration
  const part = (total: number, least?: number): number => partOf(total, edges, index, least)
  return {
    ...others,
    isFirst: index === 0,
    outbound,
    port,
    edges,
    database: Redacted.value(database),
    cluster: cluster === undefined ? undefined : clusterMessage(cluster),
    otlp: otlpMessage(otlp),
    // A port of their own is the supervisor's.
    metrics: { ...metrics, token: metrics.token === undefined ? undefined : Redacted.value(metrics.token) },
    databaseConnections: part(databaseConnections ?? defaultConnections, leastConnections),
    service: { ...service, maxRunsInFlight: part(resolveOptions(service).maxRunsInFlight) },
    workers: part(workers ?? availableParallelism())
  }
}

/** The configuration of an order. */
export const configurationIn = ({ cluster, database, isFirst: _isFirst, metrics, otlp, ...others }: EdgeOrder): ServiceConfiguration => ({
  ...others,
  otlp: otlpIn(otlp),
  metrics: { ...metrics, token: metrics.token === undefined ? undefined : Redacted.make(metrics.token) },
  cluster: cluster === undefined ? undefined : clusterIn(cluster),
  database: Redacted.make(database)
})
