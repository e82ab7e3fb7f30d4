/** The network that a service is of, named once with the service's options; stores and machine ask for it. */
import { Context, Layer } from "effect"

/** What a network is called. */
export interface NetworkIdentity {
  /** Stands in `GET /info` and in every key; a database belongs to one network. */
  readonly name: string
  /** What programs see as `CHAIN_ID`; it also stands in the proofs that data proxies check. */
  readonly chainId: string
}

/** The network where none is named. */
export const localNetwork: NetworkIdentity = { name: "local", chainId: "sibyl-1-local" }

/** The network of the service. `openService` and `layerService` give the ports that of their options. */
export class Network extends Context.Tag("@sibyl/core/Network")<Network, NetworkIdentity>() {
  /** For ports that are built before their service, or without one. */
  static readonly layer = (network: NetworkIdentity): Layer.Layer<Network> => Layer.succeed(Network, network)
}
