/** Every store of one network on a SQL database. */
import { SqlClient } from "@effect/sql/SqlClient"
import {
  type Accounts,
  type AuditTrail,
  type DataProxies,
  type Directory,
  type DurableFeeds,
  type Entropy,
  type FeedLeases,
  type Idempotency,
  type Keys,
  type Ledger,
  Network,
  type ProgramNames,
  type ProgramStorage,
  type ProgramStore,
  type Provisioning,
  type ResultStore,
  type Retention,
  type StoreCheck,
  type Tickets
} from "@sibyl/core"
import { Effect, Layer } from "effect"
import { voidLapsedHolds } from "./ledger/expiredHolds.ts"
import { listOlderKey } from "./signingKeys/storedKeys.ts"
import { migrate } from "./migrations/migrate.ts"
import { claimFor } from "./database/networkOfDatabase.ts"
import { layerSqlAccounts } from "./accounts/sqlAccounts.ts"
import { layerSqlAuditTrail } from "./registry/sqlAuditTrail.ts"
import { layerSqlDataProxies } from "./registry/sqlDataProxies.ts"
import { layerSqlDirectory } from "./accounts/sqlDirectory.ts"
import { DatabaseTime } from "./database/databaseTime.ts"
import { orSqlDefect } from "./database/sqlDefect.ts"
import { layerSqlDurableFeeds } from "./feeds/sqlDurableFeeds.ts"
import { layerSqlFeedLeases } from "./feeds/sqlFeedLeases.ts"
import { layerSqlIdempotency } from "./runs/sqlIdempotency.ts"
import { layerSqlKeys } from "./accounts/sqlKeys.ts"
import { layerSqlLedger } from "./ledger/sqlLedger.ts"
import { layerSqlProgramNames } from "./registry/sqlProgramNames.ts"
import { layerSqlProgramStorage } from "./runs/sqlProgramStorage.ts"
import { layerSqlProgramStore } from "./registry/sqlProgramStore.ts"
import { layerSqlProvisioning } from "./accounts/sqlProvisioning.ts"
import { layerSqlResultStore } from "./runs/sqlResultStore.ts"
import { layerSqlRetention } from "./runs/sqlRetention.ts"
import { layerSqlStoreCheck } from "./sqlStoreCheck.ts"
import { layerSqlTickets } from "./tickets/sqlTickets.ts"

/** The stores that a service of one network needs. */
export type SqlStores =
  | Directory
  | Provisioning
  | Keys
  | Accounts
  | AuditTrail
  | Ledger
  | ResultStore
  | Retention
  | ProgramStorage
  | ProgramStore
  | DurableFeeds
  | FeedLeases
  | Idempotency
  | DataProxies
  | ProgramNames
  | StoreCheck
  | Tickets

const prepare: Effect.Effect<void, never, SqlClient | Network | Entropy | DatabaseTime> = Effect.flatMap(
  Effect.all([SqlClient, Network, DatabaseTime]),
  ([sql, network, during]) =>
    migrate.pipe(
      Effect.zipRight(claimFor(sql, network.name)),
      Effect.zipRight(listOlderKey),
      Effect.zipRight(during(voidLapsedHolds)),
      orSqlDefect("preparing the database")
    )
)

const layerStores: Layer.Layer<SqlStores, never, SqlClient | Entropy | Network | DatabaseTime> = Layer.mergeAll(
  layerSqlDirectory,
  layerSqlProvisioning,
  layerSqlKeys,
  layerSqlAccounts,
  layerSqlAuditTrail,
  layerSqlLedger,
  layerSqlResultStore,
  layerSqlRetention,
  layerSqlProgramNames,
  layerSqlProgramStorage,
  layerSqlProgramStore,
  layerSqlDurableFeeds,
  layerSqlFeedLeases,
  layerSqlIdempotency,
  layerSqlDataProxies,
  layerSqlStoreCheck,
  layerSqlTickets
).pipe(Layer.provide(Layer.effectDiscard(prepare)))

/** The stores, whose leases go by `time`. */
export const layerSqlStoresBy = (
  time: Layer.Layer<DatabaseTime, never, SqlClient>
): Layer.Layer<SqlStores, never, SqlClient | Entropy | Network> => Layer.provide(layerStores, time)

/**
 * The stores over any client that runs our queries: the schema is migrated first, and holds whose lease has ended are returned. A database
 * belongs to one network; one of another network is a defect.
 */
export const layerSqlStores: Layer.Layer<SqlStores, never, SqlClient | Entropy | Network> = layerSqlStoresBy(DatabaseTime.layer)
