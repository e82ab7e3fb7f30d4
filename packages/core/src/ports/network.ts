/** The network of a service, named once in the service's options and read by stores and VM. */
import { Context, Layer } from "effect"

/** The names of a network. */
export interface NetworkIdentity {
  /** Part of `GET /info` and of every key; a database belongs to one network. */
  readonly name: string
  /** What programs see as `CHAIN_ID`; also part of the proofs that data proxies check. */
  readonly chainId: string
}

/** The default network. */
export const localNetwork: NetworkIdentity = { name: "local", chainId: "sibyl-1-local" }

/** The network of the service. `openService` and `layerService` provide it to the ports from their options. */
export class Network extends Context.Tag("@sibyl/core/Network")<Network, NetworkIdentity>() {
  /** For ports that are built before their service, or without one. */
  static readonly layer = (network: NetworkIdentity): Layer.Layer<Network> => Layer.succeed(Network, network)
}
