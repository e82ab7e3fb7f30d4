/** What a runtime needs to call data proxies: the registered proxies, and a proof of the service's identity. */
import { type DataProxy, DataProxies, Network, Signer } from "@sibyl/core"
import { fastProofDigest, fastProofHeader } from "@sibyl/core/internal"
import { Clock, Context, Effect, Layer, Option } from "effect"

/** Access to registered proxies. */
export interface ProxyDirectory {
  readonly find: (publicKey: string) => Effect.Effect<Option.Option<DataProxy>>
  /** A proof made now, as the request header contains it. Anyone who has it can call proxies as this service for some minutes. */
  readonly proof: Effect.Effect<string>
}

/** The runtime's access to data proxies; none: every proxied fetch is refused before it is sent. */
export class ProxyAccess extends Context.Tag("@sibyl/vm/ProxyAccess")<ProxyAccess, Option.Option<ProxyDirectory>>() {
  /** No data proxies. */
  static readonly layerNone: Layer.Layer<ProxyAccess> = Layer.succeed(ProxyAccess, Option.none())

  /** The registered proxies of the network, with proofs by the service's signer. */
  static readonly layerRegistered: Layer.Layer<ProxyAccess, never, DataProxies | Network | Signer> = Layer.effect(
    ProxyAccess,
    Effect.map(Effect.all([DataProxies, Signer, Network]), ([proxies, signer, { chainId }]) =>
      Option.some({
        find: proxies.find,
        proof: Effect.gen(function* () {
          const timestampMs = Math.floor(yield* Clock.currentTimeMillis)
          const signature = yield* signer.sign(fastProofDigest({ timestampMs, chainId }), timestampMs)
          return fastProofHeader({ timestampMs, chainId, signature })
        })
      })
    )
  )
}
