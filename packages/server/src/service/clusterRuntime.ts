/** The parts of a service that reach over NATS: executors that run its programs, and other servers that share its feeds. */
import { type DataProxies, type Entropy, FeedRelay, type Network, type ProgramRuntime, type Signer } from "@sibyl/core"
import type { NatsOptions } from "@sibyl/cluster"
import { Effect, Layer } from "effect"

/** The executors that run programs in place of this process's own threads. */
export interface ClusterOptions {
  /** Where NATS is, and who we are there. */
  readonly nats: NatsOptions
  /** The executors with the outbound policy of this service. Default `default`. */
  readonly net?: string
  /** Executors of this zone are preferred. Default: none. */
  readonly zone?: string
}

/**
 * Loads the code of clusters, which nobody else needs, and connects. It dies with an error of NATS when it cannot. `sharesFeeds`: other
 * servers may be on the same database (decision D48).
 */
export const layerClusterRuntime = (
  { nats, ...options }: ClusterOptions,
  sharesFeeds: boolean
): Layer.Layer<ProgramRuntime | FeedRelay, never, Entropy | DataProxies | Network | Signer> =>
  Layer.unwrapEffect(
    Effect.map(
      Effect.promise(() => import("@sibyl/cluster")),
      ({ layerNatsFeedRelay, layerRemoteRuntime, NatsConnection }) =>
        Layer.merge(layerRemoteRuntime(options), sharesFeeds ? layerNatsFeedRelay : FeedRelay.layerAlone).pipe(
          Layer.provide(NatsConnection.layer({ name: "sibyl edge", ...nats })),
          Layer.orDie
        )
    )
  )
