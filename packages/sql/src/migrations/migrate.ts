/** Brings a database to the newest schema. */
import type { SqlClient } from "@effect/sql/SqlClient"
import * as Migrator from "@effect/sql/Migrator"
import { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { m0001Stores } from "./m0001Stores.ts"
import { m0004Idempotency } from "./m0004Idempotency.ts"

/** Every schema change by number. A released one is never edited: what it got wrong, the next one mends. */
const migrations = { "0001_stores": m0001Stores, "0004_idempotency": m0004Idempotency }

/** Runs, in order and each once, the migrations that the database has not had. On a new database: all of them. */
export const migrate: Effect.Effect<void, SqlError, SqlClient> = Migrator.make({})({
  loader: Migrator.fromRecord(migrations),
  table: "migrations"
}).pipe(
  Effect.catchTag("MigrationError", (cause) => new SqlError({ cause, message: cause.message })),
  Effect.asVoid
)
