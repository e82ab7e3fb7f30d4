/** Composes the ports of a deployment: stores, program runtime, outbound HTTP, price list and signer. */
import {
  defaultTariff,
  Entropy,
  FeedRelay,
  layerAuditedStores,
  type Freshness,
  Network,
  type NetworkIdentity,
  Pricing,
  type RequiredPorts,
  type Tariff
} from "@sibyl/core"
import { type ConnectWriter, layerSqlStores, type SqlStores } from "@sibyl/sql"
import { layerProxiedProgramRuntime } from "@sibyl/vm"
import { layerHttpFetch, type OutboundOptions } from "@sibyl/vm/http"
import { Layer, Redacted } from "effect"
import { type ClusterOptions, layerClusterRuntime } from "./clusterRuntime.ts"
import { layerUsageLimitCheck } from "./usageLimitCheck.ts"
import { layerStoredSigner } from "./signing/localSigner.ts"
import { layerDatabase, sqliteFileOf } from "./stores.ts"

/** The options of a deployment beside those of the service. */
export interface Deployment {
  readonly network: NetworkIdentity
  /**
   * The SQLite file that holds everything, made where it is missing and readable by its owner only (a path, or
   * `sqlite:PATH`); or a PostgreSQL database that is there, `postgres://user:password@host:port/name`, for several
   * servers at once.
   */
  readonly database: string | Redacted.Redacted
  /** Connections to a PostgreSQL at most. Default 10. */
  readonly databaseConnections?: number
  readonly outbound?: OutboundOptions
  /** Workers that run programs. Default: one for each processor, at least one. */
  readonly workers?: number
  /** What workers are: threads of this process, or processes of their own, which a program can take down alone. Default `thread`. */
  readonly isolation?: "thread" | "process"
  /** The memory of a worker process beyond which it is ended and replaced, in MiB. Default 512. */
  readonly workerMemoryMib?: number
  /** Executors elsewhere that run programs, in place of threads of this process; outbound requests are theirs, too. */
  readonly cluster?: ClusterOptions
  /** Changes to the standard price list (decision D31). */
  readonly tariff?: Partial<Tariff>
  /**
   * Whether the threads that run programs sign the results of the runs that they end (decision "Signatures in threads"). Off, or with
   * workers that are processes, the main thread makes every signature. Default true.
   */
  readonly signInThreads?: boolean
  /** What the service logs: `debug` adds a line for each run that prefetched. Default `info`. */
  readonly logLevel?: "debug" | "info" | "warn" | "error"
}

/** All ports of a deployment. */
export type DeploymentPorts = RequiredPorts | SqlStores | FeedRelay | Freshness | Pricing

/**
 * The ports over one database. Building it brings the database's schema up to date. `connectWriter` leads to the one that writes to a SQLite
 * file, if another process owns it.
 */
export const layerPorts = (deployment: Deployment, connectWriter?: ConnectWriter): Layer.Layer<DeploymentPorts> => {
  const {
    cluster,
    database,
    databaseConnections: connections,
    isolation = "thread",
    network,
    outbound = {},
    signInThreads = true,
    tariff = {},
    workerMemoryMib,
    workers
  } = deployment
  const address = Redacted.isRedacted(database) ? database : Redacted.make(database)
  const stores = Layer.merge(layerSqlStores, layerStoredSigner({ inThreads: signInThreads && isolation === "thread" })).pipe(
    Layer.provideMerge(layerDatabase({ address, connections, connectWriter, network: network.name })),
    Layer.provide(Entropy.layer)
  )
  const checkedStores = layerUsageLimitCheck(tariff).pipe(Layer.provideMerge(layerAuditedStores("service")), Layer.provideMerge(stores))
  const runtime =
    cluster === undefined
      ? layerProxiedProgramRuntime({
          isolation,
          ...(workers === undefined ? {} : { workers }),
          ...(workerMemoryMib === undefined ? {} : { workerMemoryMib })
        }).pipe(Layer.provide(layerHttpFetch(outbound)), Layer.merge(FeedRelay.layerAlone))
      : Layer.provide(layerClusterRuntime(cluster, sqliteFileOf(address) === undefined), Entropy.layer)
  return Layer.provideMerge(runtime, checkedStores).pipe(
    Layer.provide(Network.layer(network)),
    Layer.merge(Pricing.layerFromTariff({ ...defaultTariff, ...tariff }))
  )
}
