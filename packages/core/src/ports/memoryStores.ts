/** The stores of one network in this process's memory: one state behind all four ports. */
import { Context, Effect, Layer } from "effect"
import { Directory } from "./directory.ts"
import { Entropy } from "./entropy.ts"
import { Ledger } from "./ledger.ts"
import { memoryDirectory } from "./memory/memoryDirectory.ts"
import { memoryLedger } from "./memory/memoryLedger.ts"
import { memoryProvisioning } from "./memory/memoryProvisioning.ts"
import { memoryResultStore } from "./memory/memoryResultStore.ts"
import { emptyState } from "./memory/memoryState.ts"
import { Provisioning } from "./provisioning.ts"
import { ResultStore } from "./resultStore.ts"

/** Fresh, empty stores that end with the process. Keys are valid for `network` only. */
export const memoryStores = (options: {
  readonly network: string
}): Layer.Layer<Directory | Provisioning | Ledger | ResultStore, never, Entropy> =>
  Layer.effectContext(
    Effect.map(Entropy, (entropy) => {
      const state = emptyState(options.network)
      return Context.make(Directory, memoryDirectory(state)).pipe(
        Context.add(Provisioning, memoryProvisioning(state, entropy)),
        Context.add(Ledger, memoryLedger(state, entropy)),
        Context.add(ResultStore, memoryResultStore(state))
      )
    })
  )
