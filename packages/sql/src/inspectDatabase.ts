/** Inspects a database: unlike opening it for its stores, this creates, migrates and returns nothing. */
import * as Reactivity from "@effect/experimental/Reactivity"
import { SqlClient } from "@effect/sql/SqlClient"
import { Effect, Layer } from "effect"
import { troubleOf } from "./database/databaseTrouble.ts"
import { hasTable } from "./database/hasTable.ts"
import { migrationsTable, newestSchemaVersion } from "./migrations/migrate.ts"
import { connectPostgres, type PostgresOptions } from "./postgres/layerPostgres.ts"
import { orSqlDefect } from "./database/sqlDefect.ts"
import type { SqliteOptions } from "./sqlite/layerSqlite.ts"
import { namingFile } from "./sqlite/fileFault.ts"
import { openSqlite } from "./sqlite/sqliteClient.ts"

/** The state of a database. */
export interface DatabaseState {
  /** The number of its last migration; 0 if nothing was stored in it yet. */
  readonly schemaVersion: number
  /** The number of the last migration in this version of Sibyl. */
  readonly newestSchemaVersion: number
  /** The network that it belongs to, once a server or a command has opened it. */
  readonly network: string | null
  readonly hasSigningKey: boolean
  /** When the newest journal entry was written, in milliseconds since the Unix epoch. */
  readonly newestEntryMs: number | null
  /** Whether this user may make tables where Sibyl's belong: a migration needs it. */
  readonly mayMakeTables: boolean
}

/** A client of an existing SQLite file, without migrating it. Its failures are `SqlDefect`s. */
export const layerSqliteAsItIs = ({ busyTimeoutMs = 5_000, filename }: SqliteOptions): Layer.Layer<SqlClient> =>
  Layer.scoped(
    SqlClient,
    openSqlite({ filename, busyTimeoutMs }).pipe(
      Effect.map(({ client }) => client),
      Effect.mapError(namingFile(filename)),
      orSqlDefect("opening the database")
    )
  ).pipe(Layer.provide(Reactivity.layer))

/** A client of a PostgreSQL database, without migrating it. Its failures are `SqlDefect`s. */
export const layerPostgresAsItIs = (options: PostgresOptions): Layer.Layer<SqlClient> =>
  Layer.scoped(SqlClient, connectPostgres(options).pipe(orSqlDefect("opening the database"))).pipe(Layer.provide(Reactivity.layer))

/** The first findings are enough to know that a backup is needed. */
const mostDamages = 5

/**
 * What SQLite finds broken in the file, in its own words: unreadable pages, indexes that do not match their tables. Empty if the file is
 * sound. PostgreSQL checks its files itself.
 */
export const damagesOfDatabase: Effect.Effect<ReadonlyArray<string>, never, SqlClient> = Effect.flatMap(SqlClient, (sql) =>
  sql.onDialectOrElse({
    pg: () => Effect.succeed([]),
    orElse: () =>
      Effect.map(sql<{ readonly integrity_check: string }>`PRAGMA integrity_check(${sql.literal(String(mostDamages))})`, (rows) =>
        rows.map((row) => row.integrity_check).filter((said) => said !== "ok")
      ).pipe(
        // Some damage prevents even the check.
        Effect.catchAll((error) => (troubleOf(error) === "refused" ? Effect.succeed([error.message]) : error))
      )
  })
).pipe(orSqlDefect("checking the database"))

type Stored = number | string | null

const mayMakeTablesIn = (sql: SqlClient) =>
  sql.onDialectOrElse({
    pg: () =>
      Effect.map(
        sql<{ readonly may: boolean | null }>`SELECT has_schema_privilege(current_schema(), 'CREATE') AS may`,
        ([row]) => row?.may === true
      ),
    // A file that can be opened can be changed.
    orElse: () => Effect.succeed(true)
  })

/** Inspects the database. */
export const inspectDatabase: Effect.Effect<DatabaseState, never, SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient
  const mayMakeTables = yield* mayMakeTablesIn(sql)
  const empty = { schemaVersion: 0, newestSchemaVersion, network: null, hasSigningKey: false, newestEntryMs: null, mayMakeTables }
  if (!(yield* hasTable(sql, migrationsTable)) || !(yield* hasTable(sql, "service"))) return empty
  const [version] = yield* sql<{ readonly last: Stored }>`SELECT MAX(migration_id) AS last FROM ${sql(migrationsTable)}`
  const [network] = yield* sql<{ readonly value: string }>`SELECT value FROM service WHERE name = 'network'`
  const [newest] = yield* sql<{ readonly at_ms: Stored }>`SELECT MAX(at_ms) AS at_ms FROM journal`
  const keys = yield* sql`SELECT name FROM signing_keys`
  return {
    ...empty,
    schemaVersion: Number(version?.last ?? 0),
    network: network?.value ?? null,
    hasSigningKey: keys.length > 0,
    newestEntryMs: newest?.at_ms === undefined || newest.at_ms === null ? null : Number(newest.at_ms)
  }
}).pipe(orSqlDefect("looking at the database"))
