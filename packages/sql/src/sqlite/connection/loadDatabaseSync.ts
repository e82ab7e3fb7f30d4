/** Loads this runtime's SQLite. */
import { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { type DatabaseSyncClass, databaseSyncClass } from "./databaseSync.ts"

/** The constructor of the driver, or why there is none. */
export const loadDatabaseSync: Effect.Effect<DatabaseSyncClass, SqlError> = Effect.tryPromise({
  try: databaseSyncClass,
  catch: (cause) => new SqlError({ cause, message: "there is no SQLite for this runtime" })
})
