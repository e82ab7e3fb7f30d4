/** Stores in memory that outlive the processes of a simulation, with a ledger whose runs draw from escrows, as a server on SQL has it. */
import {
  Accounts,
  Directory,
  DurableFeeds,
  Entropy,
  FeedLeases,
  Freshness,
  Idempotency,
  Keys,
  Ledger,
  type LedgerOperation,
  makeEscrowLedger,
  ProgramNames,
  ProgramStorage,
  ProgramStore,
  Provisioning,
  ResultStore,
  Retention,
  Tickets
} from "@sibyl/core"
import { countChanges, emptyState, memoryBalanceOf, type MemoryState, memoryStoresOver, performOperation } from "@sibyl/core/internal"
import { Clock, Context, Effect, Layer } from "effect"
import type { ProjectBooks, SimulatedDatabase } from "./database.ts"
import type { Gate } from "./gate.ts"

/** What the stores are made with. */
export interface MemoryDatabaseOptions {
  readonly network: string
  readonly entropy: Entropy["Type"]
  /** Whether servers are told that nothing has changed, as on SQLite; on PostgreSQL they are not. */
  readonly tellsFreshness: boolean
}

const booksOf = (state: MemoryState, projectId: string): ProjectBooks => {
  const credits = state.credits.get(projectId)
  if (credits === undefined) throw new Error(`project ${projectId} has no credits`)
  return {
    projectId,
    ...credits.account,
    journal: credits.journal,
    openHolds: [...credits.openHolds.values()].map((hold) => ({ ...hold, isEscrow: hold.escrow !== null })),
    reports: [...state.reportsById.values()].filter((report) => report.projectId === projectId),
    keptAnswers: [...state.idempotency].flatMap(([name, { answer }]) =>
      name.startsWith(`${projectId}/`) && answer !== undefined ? [answer] : []
    )
  }
}

const recalledIn = (state: MemoryState): ReadonlyArray<string> =>
  [...state.credits.values()].flatMap(({ openHolds }) =>
    [...openHolds.values()].filter(({ escrow }) => escrow?.state === "recalled").map(({ holdId }) => holdId)
  )

const performing = (state: MemoryState, operation: LedgerOperation) =>
  Effect.map(Clock.currentTimeMillis, (nowMs) => performOperation(state, operation, nowMs))

/** The ledger of one process. */
const ledgerOf = (state: MemoryState, gate: Gate) =>
  Effect.flatMap(Entropy, (entropy) =>
    makeEscrowLedger(
      {
        perform: (operation) => gate.around(true, performing(state, operation)),
        balance: (project, drawnOf) =>
          gate.around(
            false,
            Effect.map(Clock.currentTimeMillis, (nowMs) => memoryBalanceOf(state, project, nowMs, drawnOf))
          ),
        recalled: gate.around(
          false,
          Effect.sync(() => recalledIn(state))
        )
      },
      entropy
    )
  )

/** Makes empty stores. */
export const makeMemoryDatabase = async ({ entropy, network, tellsFreshness }: MemoryDatabaseOptions): Promise<SimulatedDatabase> => {
  const state = emptyState(network)
  const programs = await Effect.runPromise(Effect.provide(ProgramStore, ProgramStore.layerMemory))
  const stores = memoryStoresOver(state, entropy)
  const operated = Context.add(stores, ProgramStore, programs)
  const portsOf = (gate: Gate) =>
    Effect.map(ledgerOf(state, gate), (ledger) => {
      const own = memoryStoresOver(state, entropy)
      const from = <Id, Store extends object>(tag: Context.Tag<Id, Store>, reading: ReadonlyArray<keyof Store>): Store =>
        gate.store(Context.unsafeGet(own, tag), reading)
      const known = Context.get(own, Freshness)
      return Context.make(Directory, from(Directory, ["authenticate", "owner", "keys", "project"])).pipe(
        Context.add(Ledger, countChanges(state, ledger, ["balance"])),
        Context.add(ResultStore, from(ResultStore, ["last", "find", "newest", "page"])),
        Context.add(Retention, from(Retention, [])),
        Context.add(DurableFeeds, from(DurableFeeds, ["list", "find", "ownerless", "progress", "unfinished", "entries"])),
        Context.add(FeedLeases, from(FeedLeases, [])),
        Context.add(Idempotency, from(Idempotency, ["answer"])),
        Context.add(ProgramNames, from(ProgramNames, ["find", "list", "history"])),
        Context.add(ProgramStorage, from(ProgramStorage, ["read"])),
        Context.add(ProgramStore, gate.store(programs, ["get"])),
        Context.add(Tickets, from(Tickets, [])),
        Context.add(Freshness, tellsFreshness ? known : { version: () => undefined, settings: () => undefined })
      )
    })
  return {
    name: tellsFreshness ? "memory" : "memory, shared",
    open: (gate) => Promise.resolve(Layer.scopedContext(portsOf(gate))),
    killed: () => {},
    operator: {
      accounts: Context.get(operated, Accounts),
      feeds: Context.get(operated, DurableFeeds),
      keys: Context.get(operated, Keys),
      programs,
      provisioning: Context.get(operated, Provisioning)
    },
    books: (projectId) => Promise.resolve(booksOf(state, projectId)),
    expireHolds: (projectId) => Effect.asVoid(performing(state, { kind: "expire", projectId })),
    close: () => Promise.resolve()
  }
}
