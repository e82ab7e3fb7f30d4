/** Migrates a database to the newest schema. */
import { SqlClient } from "@effect/sql/SqlClient"
import * as Migrator from "@effect/sql/Migrator"
import { SqlError } from "@effect/sql/SqlError"
import { Effect, Option } from "effect"
import { hasTable } from "../database/hasTable.ts"
import { SqlDefect } from "../database/sqlDefect.ts"
import { m0001Stores } from "./m0001Stores.ts"
import { m0002ReportIds } from "./m0002ReportIds.ts"
import { m0003Accounts } from "./m0003Accounts.ts"
import { m0004Idempotency } from "./m0004Idempotency.ts"
import { m0005DataProxies } from "./m0005DataProxies.ts"
import { m0006StorageAndAge } from "./m0006StorageAndAge.ts"
import { m0007ProgramNames } from "./m0007ProgramNames.ts"
import { m0008SettingsVersion } from "./m0008SettingsVersion.ts"
import { m0009Escrows } from "./m0009Escrows.ts"
import { m0010SharedFeed } from "./m0010SharedFeed.ts"
import { m0011TimesOfServers } from "./m0011TimesOfServers.ts"
import { m0012DurableFeeds } from "./m0012DurableFeeds.ts"
import { m0013SigningKeyTimes } from "./m0013SigningKeyTimes.ts"
import { m0015AuditTrail } from "./m0015AuditTrail.ts"
import { m0016Tickets } from "./m0016Tickets.ts"
import { m0017StartsOfFeeds } from "./m0017StartsOfFeeds.ts"
import { m0018Withdrawals } from "./m0018Withdrawals.ts"

/** Every migration by number. A released one is never edited: a later one corrects its mistakes. */
const migrations = {
  "0001_stores": m0001Stores,
  "0002_report_ids": m0002ReportIds,
  "0003_accounts": m0003Accounts,
  "0004_idempotency": m0004Idempotency,
  "0005_data_proxies": m0005DataProxies,
  "0006_storage_and_age": m0006StorageAndAge,
  "0007_program_names": m0007ProgramNames,
  "0008_settings_version": m0008SettingsVersion,
  "0009_escrows": m0009Escrows,
  "0010_shared_feed": m0010SharedFeed,
  "0011_times_of_servers": m0011TimesOfServers,
  "0012_durable_feeds": m0012DurableFeeds,
  "0013_signing_key_times": m0013SigningKeyTimes,
  "0015_audit_trail": m0015AuditTrail,
  "0016_tickets": m0016Tickets,
  "0017_starts_of_feeds": m0017StartsOfFeeds,
  "0018_withdrawals": m0018Withdrawals
}

/** The number of the last migration. */
export const newestSchemaVersion = Math.max(...Object.keys(migrations).map((name) => Number.parseInt(name, 10)))

/** The table in which a database records its migrations. */
export const migrationsTable = "migrations"
const table = migrationsTable

/** The advisory lock that serializes servers that start at once: any number that nothing else uses. */
const migrationLock = 7_310_596_172

/** What the database said is the innermost cause. */
const failed = ({ cause, message }: Migrator.MigrationError): SqlError =>
  new SqlError({ cause: cause instanceof SqlError ? cause.cause : cause, message })

const migrateNow = Migrator.make({})({ loader: Migrator.fromRecord(migrations), table }).pipe(
  Effect.catchTag("MigrationError", failed),
  // A migration that fails is a defect of the migrator.
  Effect.catchSomeDefect((defect) => (defect instanceof Migrator.MigrationError ? Option.some(failed(defect)) : Option.none())),
  Effect.asVoid
)

/** The number of the last migration that a database has had; 0 of a new one. */
export const schemaVersionOf = (sql: SqlClient): Effect.Effect<number, SqlError> =>
  Effect.gen(function* () {
    if (!(yield* hasTable(sql, table))) return 0
    const [row] = yield* sql<{ readonly last: number | null }>`SELECT MAX(migration_id) AS last FROM ${sql(table)}`
    return row?.last ?? 0
  })

/** A database with the schema of a newer Sibyl is neither read nor written. Returns whether the schema is this one's. */
const refuseNewer = (sql: SqlClient): Effect.Effect<boolean, SqlError> =>
  Effect.gen(function* () {
    const version = yield* schemaVersionOf(sql)
    if (version <= newestSchemaVersion) return version === newestSchemaVersion
    const versions = `its schema has version ${version}, this Sibyl knows ${newestSchemaVersion}`
    return yield* Effect.die(new SqlDefect(`a newer Sibyl has opened this database (${versions}): update this one`))
  })

/** The table is created here because the migrator detects its absence by an error, which would end the PostgreSQL transaction. */
const underLock = (sql: SqlClient) =>
  sql.withTransaction(
    sql`SELECT pg_advisory_xact_lock(${migrationLock})`.pipe(
      Effect.zipRight(sql`
        CREATE TABLE IF NOT EXISTS ${sql(table)} (
          migration_id INTEGER PRIMARY KEY,
          created_at TIMESTAMPTZ NOT NULL DEFAULT now(),
          name TEXT NOT NULL
        )`),
      Effect.zipRight(refuseNewer(sql)),
      Effect.zipRight(migrateNow)
    )
  )

/**
 * Runs, in order and once each, the migrations that the database has not had: on a new database all of them. A database with more
 * migrations than this version has is a {@link SqlDefect}.
 */
export const migrate: Effect.Effect<void, SqlError, SqlClient> = Effect.flatMap(SqlClient, (sql) =>
  sql.onDialectOrElse({
    pg: () => underLock(sql),
    orElse: () => Effect.flatMap(refuseNewer(sql), (isNewest) => (isNewest ? Effect.void : migrateNow))
  })
)
