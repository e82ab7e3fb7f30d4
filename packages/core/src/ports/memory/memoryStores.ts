/** The stores of one network in this process's memory, which share one state. */
import { Context, Effect, Layer } from "effect"
import { Accounts } from "../accounts.ts"
import { Directory } from "../directory.ts"
import { Entropy } from "../entropy.ts"
import { DurableFeeds } from "../feeds/durableFeeds.ts"
import { FeedLeases } from "../feeds/feedLeases.ts"
import { Freshness } from "../freshness.ts"
import { Idempotency } from "../idempotency.ts"
import { Keys } from "../keys.ts"
import { Ledger } from "../ledger.ts"
import { Network } from "../network.ts"
import { countChanges } from "./countChanges.ts"
import { memoryAccounts } from "./memoryAccounts.ts"
import { memoryDirectory } from "./memoryDirectory.ts"
import { memoryDurableFeeds } from "./memoryDurableFeeds.ts"
import { memoryFeedLeases } from "./memoryFeedLeases.ts"
import { memoryIdempotency } from "./memoryIdempotency.ts"
import { memoryKeys } from "./memoryKeys.ts"
import { memoryLedger } from "./memoryLedger.ts"
import { memoryProgramNames } from "./memoryProgramNames.ts"
import { memoryProgramStorage } from "./memoryProgramStorage.ts"
import { memoryProvisioning } from "./memoryProvisioning.ts"
import { memoryResultStore } from "./memoryResultStore.ts"
import { memoryRetention } from "./memoryRetention.ts"
import { memoryTickets } from "./memoryTickets.ts"
import { emptyState, type MemoryState } from "./memoryState.ts"
import { ProgramNames } from "../programNames.ts"
import { ProgramStorage } from "../programStorage.ts"
import { Provisioning } from "../provisioning.ts"
import { ResultStore } from "../resultStore.ts"
import { Retention } from "../retention.ts"
import { Tickets } from "../tickets/tickets.ts"

/** The stores that share one state in memory. */
export type MemoryStores =
  | Directory
  | Provisioning
  | Keys
  | Accounts
  | Ledger
  | ResultStore
  | Retention
  | DurableFeeds
  | FeedLeases
  | Idempotency
  | ProgramNames
  | ProgramStorage
  | Tickets
  | Freshness

/** The stores over a state; several servers may have stores over one. */
export const memoryStoresOver = (state: MemoryState, entropy: Context.Tag.Service<Entropy>): Context.Context<MemoryStores> =>
  Context.make(Directory, memoryDirectory(state)).pipe(
    Context.add(Provisioning, countChanges(state, memoryProvisioning(state, entropy), [], "settings")),
    Context.add(Keys, countChanges(state, memoryKeys(state, entropy), ["list"], "settings")),
    Context.add(Accounts, memoryAccounts(state)),
    Context.add(Ledger, countChanges(state, memoryLedger(state, entropy), ["balance"])),
    Context.add(ResultStore, memoryResultStore(state)),
    Context.add(Retention, countChanges(state, memoryRetention(state), [])),
    Context.add(DurableFeeds, memoryDurableFeeds(state)),
    Context.add(FeedLeases, memoryFeedLeases(state)),
    Context.add(Idempotency, memoryIdempotency(state)),
    Context.add(ProgramNames, countChanges(state, memoryProgramNames(state), ["find", "list", "history"], "settings")),
    Context.add(ProgramStorage, memoryProgramStorage(state)),
    Context.add(Tickets, memoryTickets(state)),
    Context.add(Freshness, { version: () => state.changes.count, settings: () => state.changes.settings })
  )

/** Empty stores that end with the process. Their keys are valid for this network only. */
export const layerMemoryStores: Layer.Layer<MemoryStores, never, Entropy | Network> = Layer.effectContext(
  Effect.map(Effect.all([Entropy, Network]), ([entropy, network]) => memoryStoresOver(emptyState(network.name), entropy))
)
