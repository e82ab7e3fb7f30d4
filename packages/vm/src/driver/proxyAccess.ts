/** What a runtime needs to reach data proxies: who is registered, and the proof that it is the service who asks. */
import { type DataProxy, DataProxies, Network, Signer } from "@sibyl/core"
import { fastProofDigest, fastProofHeader } from "@sibyl/core/internal"
import { Clock, Context, Effect, Layer, Option } from "effect"

/** The way to registered proxies. */
export interface ProxyDirectory {
  readonly find: (publicKey: string) => Effect.Effect<Option.Option<DataProxy>>
  /** A proof made now, as the request header carries it. Whoever has it can ask proxies in the service's name for minutes. */
  readonly proof: Effect.Effect<string>
}

/** The runtime's way to data proxies; none: every proxied fetch is refused before it goes out. */
export class ProxyAccess extends Context.Tag("@sibyl/vm/ProxyAccess")<ProxyAccess, Option.Option<ProxyDirectory>>() {
  /** No data proxies. */
  static readonly layerNone: Layer.Layer<ProxyAccess> = Layer.succeed(ProxyAccess, Option.none())

  /** The registered proxies of the network, asked in the name of the service's signer. */
  static readonly layerRegistered: Layer.Layer<ProxyAccess, never, DataProxies | Network | Signer> = Layer.effect(
    ProxyAccess,
    Effect.map(Effect.all([DataProxies, Signer, Network]), ([proxies, signer, { chainId }]) =>
      Option.some({
        find: proxies.find,
        proof: Effect.gen(function* () {
          const timestampMs = Math.floor(yield* Clock.currentTimeMillis)
          const signature = yield* signer.sign(fastProofDigest({ timestampMs, chainId }))
          return fastProofHeader({ timestampMs, chainId, signature })
        })
      })
    )
  )
}
