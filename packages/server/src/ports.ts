/** Where the layers meet: the stores, the machine, the outside world and the signer of one network. */
import { type Accounts, Entropy, type Keys, type Provisioning, type RequiredPorts, type ServiceOptions } from "@sibyl/core"
import { layerSqlSigner, layerSqlite, layerSqlStores } from "@sibyl/sql"
import { layerProgramRuntime } from "@sibyl/vm"
import { layerHttpFetch, type OutboundOptions } from "@sibyl/vm/http"
import { Layer } from "effect"

/** What a deployment chooses beside the service's own options. */
export interface Deployment {
  readonly network: ServiceOptions["network"]
  /** The SQLite file that holds everything; it is made, readable by its owner only, when it is not there. */
  readonly database: string
  readonly outbound?: OutboundOptions
  /** Worker threads that run programs. Default: one for each processor, at least one. */
  readonly workers?: number
}

/** All ports of a deployment. */
export type DeploymentPorts = RequiredPorts | Provisioning | Keys | Accounts

/** The ports over one SQLite file. Building it makes or migrates the database. */
export const layerPorts = ({ database, network, outbound, workers }: Deployment): Layer.Layer<DeploymentPorts> => {
  const stores = Layer.mergeAll(layerSqlStores({ network: network.name }), layerSqlSigner).pipe(
    Layer.provide(layerSqlite({ filename: database })),
    Layer.provide(Entropy.live)
  )
  const runtime = layerProgramRuntime(workers === undefined ? {} : { workers }).pipe(
    Layer.provide(layerHttpFetch(outbound ?? {}))
  )
  return Layer.merge(stores, runtime)
}
