/** Every store of one network on a SQL database. */
import { SqlClient } from "@effect/sql/SqlClient"
import type {
  Accounts,
  DataProxies,
  Directory,
  Entropy,
  Idempotency,
  Keys,
  Ledger,
  ProgramNames,
  ProgramStorage,
  ProgramStore,
  Provisioning,
  ResultStore,
  Retention,
  StoreCheck
} from "@sibyl/core"
import { Effect, Layer } from "effect"
import { voidLapsedHolds } from "./expiredHolds.ts"
import { migrate } from "./migrations/migrate.ts"
import { claimFor } from "./networkOfDatabase.ts"
import { layerSqlAccounts } from "./sqlAccounts.ts"
import { layerSqlDataProxies } from "./sqlDataProxies.ts"
import { layerSqlDirectory } from "./sqlDirectory.ts"
import { orSqlDefect } from "./sqlDefect.ts"
import { layerSqlIdempotency } from "./sqlIdempotency.ts"
import { layerSqlKeys } from "./sqlKeys.ts"
import { layerSqlLedger } from "./sqlLedger.ts"
import { layerSqlProgramNames } from "./sqlProgramNames.ts"
import { layerSqlProgramStorage } from "./sqlProgramStorage.ts"
import { layerSqlProgramStore } from "./sqlProgramStore.ts"
import { layerSqlProvisioning } from "./sqlProvisioning.ts"
import { layerSqlResultStore } from "./sqlResultStore.ts"
import { layerSqlRetention } from "./sqlRetention.ts"
import { layerSqlStoreCheck } from "./sqlStoreCheck.ts"

/** The stores that a service of one network needs. */
export type SqlStores =
  | Directory | Provisioning | Keys | Accounts | Ledger | ResultStore | Retention | ProgramStorage | ProgramStore | Idempotency
  | DataProxies | ProgramNames | StoreCheck

const prepare = (network: string): Effect.Effect<void, never, SqlClient> =>
  Effect.flatMap(SqlClient, (sql) =>
    migrate.pipe(
      Effect.zipRight(claimFor(sql, network)),
      Effect.zipRight(voidLapsedHolds),
      orSqlDefect("preparing the database")
    )
  )

/**
 * The stores over any client whose queries are ours: the schema is brought up to date first, holds whose lease is over
 * are returned. A database belongs to one network; one of another network is a defect.
 */
export const layerSqlStores = (options: {
  readonly network: string
}): Layer.Layer<SqlStores, never, SqlClient | Entropy> =>
  Layer.mergeAll(
    layerSqlDirectory(options.network),
    layerSqlProvisioning,
    layerSqlKeys(options.network),
    layerSqlAccounts,
    layerSqlLedger,
    layerSqlResultStore,
    layerSqlRetention,
    layerSqlProgramNames,
    layerSqlProgramStorage,
    layerSqlProgramStore,
    layerSqlIdempotency,
    layerSqlDataProxies,
    layerSqlStoreCheck
  ).pipe(Layer.provide(Layer.effectDiscard(prepare(options.network))))
