/** Brings the schema of a database up to date, unless the database is not the one that is meant. */
import type { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { type MeantDatabase, refuseOtherDatabase } from "./meantDatabase.ts"
import { migrate, newestSchemaVersion } from "./migrate.ts"

/** Migrates a database, and says so of one that had an older schema. */
export const prepareSchema = (meant: MeantDatabase): Effect.Effect<void, SqlError, SqlClient> =>
  Effect.gen(function* () {
    const version = yield* refuseOtherDatabase(meant)
    // It may take long, and no older Sibyl will open the database again.
    if (version > 0 && version < newestSchemaVersion) {
      yield* Effect.logInfo(`the database is brought from schema ${version} to schema ${newestSchemaVersion}`)
    }
    yield* migrate
  })
